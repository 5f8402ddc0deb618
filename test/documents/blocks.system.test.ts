import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';
import { blocksOf, deployed } from '../support/documents/runbook.ts';
import { makeCertificates } from '../support/servers/certificates.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const run = (program: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return { status, said: stdout + stderr };
};
const has = (program: string): boolean => !spawnSync(program, ['--version']).error;

test.skipIf(!has('systemd-analyze'))(
  'the unit of systemd is valid, where systemd-analyze is installed',
  () => {
    const unit = deployed('grantbook.service').replace('/usr/bin/node', process.execPath);
    const { said } = run('systemd-analyze', 'verify', write('grantbook.service', unit));
    expect(said.split('\n').filter((line) => line.includes('grantbook'))).toEqual([]);
  },
);

test.skipIf(!has('python3'))('AP-12: the objects of Kubernetes are valid by its schemas', () => {
  const python = join(folder, 'venv/bin/python');
  const install = ['-m', 'pip', 'install', '-q', '--no-compile', 'kubernetes-validate==1.37.0'];
  const manifest = join(packageRoot, 'deploy/grantbook.yaml');
  for (const [program, ...args] of [
    ['python3', '-m', 'venv', join(folder, 'venv')],
    [python, ...install],
    [python, '-m', 'kubernetes_validate', '--strict', manifest],
  ] as const)
    expect(run(program, ...args)).toEqual({ status: 0, said: expect.any(String) as string });
});

test.skipIf(!has('nginx'))('the configuration of nginx is valid, where nginx is installed', async () => {
  const { server } = await makeCertificates();
  const local = deployed('grantbook.conf')
    .replace('/etc/ssl/auth.example.org.pem', write('certificate.pem', server.cert))
    .replace('/etc/ssl/auth.example.org.key', write('key.pem', server.key));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};\n`,
  );
  const main = write(
    'nginx.conf',
    `pid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${temporary.join('')}${local}\n}\n`,
  );
  expect(run('nginx', '-t', '-p', folder, '-c', main)).toEqual({
    status: 0,
    said: expect.stringContaining('test is successful') as string,
  });
});

test('FX-81: the copy of a node’s files has every file, and what a restore needs', () => {
  const [data, copy] = ['log', 'backup'].map((name) => join(folder, name)) as [string, string];
  const files = [
    'index/a.chk',
    'index/b/c.chk',
    'index/b/c.dat',
    'index/indexmap',
    'chaser.chk',
    'chunk-0.0',
  ];
  mkdirSync(join(data, 'index/b'), { recursive: true });
  for (const file of files) writeFileSync(join(data, file), file);
  const [back = '', restore = ''] = blocksOf('how-to/run-kurrentdb')
    .filter(({ text }) => text.includes('/var/lib/kurrentdb'))
    .map(({ text }) => text.replace('chown -R kurrent:', 'ls'));
  for (const block of [back, restore.replace('/var/lib/kurrentdb', '/backup')]) {
    const script = block.replaceAll('/var/lib/kurrentdb', data).replaceAll('/backup', copy);
    expect(spawnSync('bash', ['-e', '-c', script], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  }
  const copied = (file: string) => readFileSync(join(copy, file), 'utf8');
  expect(files.map(copied)).toEqual(files);
  expect(copied('truncate.chk')).toBe('chaser.chk');
});
