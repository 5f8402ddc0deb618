import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '..');
const installed = join(folder, '../../node_modules');

type Manifest = Readonly<
  Record<'dependencies' | 'peerDependencies' | 'optionalDependencies', Readonly<Record<string, string>>>
>;

/** A project elsewhere that has what `npm pack` makes of the package, what the package asks for, and nothing else of this repository. */
const otherProject = async (): Promise<string> => {
  const project = mkdtempSync(join(tmpdir(), 'eventstore-node-example-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  cpSync(join(folder, 'example'), project, { recursive: true });
  const packed = join(project, 'node_modules/@grantbook/eventstore-node');
  mkdirSync(packed, { recursive: true });
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', project], { cwd: folder });
  const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(project, tarball), '-C', packed, '--strip-components=1']);
  const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(packed, 'package.json'), 'utf8'),
  ) as Manifest;
  const names = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  for (const name of [...names, '@types/node'].filter((each) => existsSync(join(installed, each)))) {
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
    symlinkSync(join(installed, name), join(project, 'node_modules', name));
  }
  return project;
};

test('another project tests what it does with the client, with this package and nothing else of us', async () => {
  const cwd = await otherProject();
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap'], { cwd });
  expect(stdout).toContain('# pass 2\n');
  const options = ['--noEmit', '--strict', '--allowJs', '--checkJs', '--skipLibCheck', '--types', 'node'];
  const node = ['--module', 'nodenext', '--target', 'es2023', 'orders.test.js'];
  await run(process.execPath, [join(installed, 'typescript/bin/tsc'), ...options, ...node], { cwd });
});
