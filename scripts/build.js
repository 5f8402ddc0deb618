import { resolve } from 'node:path';
import { buildFolder } from './build-folder.js';

process.exitCode = buildFolder(resolve(import.meta.dirname, '..'));
