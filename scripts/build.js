import { resolve } from 'node:path';
import { buildFolder, buildOrKeep } from './build-folder.js';

const make = process.argv.includes('--or-keep') ? buildOrKeep : buildFolder;
process.exitCode = await make(resolve(import.meta.dirname, '..'));
