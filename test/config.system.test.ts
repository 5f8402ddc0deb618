import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.ts';

test('FX-74: the file .env of the working folder is read once, and overrides nothing', async () => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, '.env'), 'CODE_TTL=30\nPORT=9\n');
  const module = new URL('../src/config/environment.ts', import.meta.url).href;
  const script = `import { environment, namesInFile } from '${module}';
    const { CODE_TTL, PORT } = environment(); environment();
    console.log(JSON.stringify([CODE_TTL, PORT, namesInFile()]));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', script],
    { cwd: folder, env: { PATH: process.env['PATH'], PORT: '8' } },
  );
  expect(JSON.parse(stdout)).toEqual(['30', '8', ['CODE_TTL']]);
});
