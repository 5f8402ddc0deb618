import { resolve } from 'node:path';
import { buildFolder } from './build-folder.js';

process.exitCode = await buildFolder(resolve(import.meta.dirname, '..'));
