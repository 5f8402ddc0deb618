import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, CompactSign, exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalJson, headFileName, logHeadFormat } from '../src/index.ts';

const packageFolder = join(import.meta.dirname, '..');
const fixtures = join(packageFolder, '../../test/fixtures/audit-export');
const project = mkdtempSync(join(tmpdir(), 'grantbook-verify-'));
const installed = join(project, 'node_modules/@grantbook/verify');
const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });

/** An auditor's folder: what `npm pack` makes of the package, what it asks for, and nothing else of this repository. */
beforeAll(async () => {
  mkdirSync(installed, { recursive: true });
  await promisify(execFile)('npm', ['pack', '--ignore-scripts', '--pack-destination', project], {
    cwd: packageFolder,
  });
  const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  spawnSync('tar', ['-xzf', join(project, tarball), '-C', installed, '--strip-components=1']);
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of Object.keys(dependencies))
    symlinkSync(join(packageFolder, '../../node_modules', name), join(project, 'node_modules', name));
  cpSync(fixtures, project, { recursive: true });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const verify = (...args: readonly string[]) => {
  const program = join(installed, 'dist/main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: project,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
};

/** As the service writes it: a signed head over so many events. */
const headOver = async (size: number) => {
  const { kty, n, e } = await exportJWK(publicKey);
  const jwk = { kty: String(kty), n: String(n), e: String(e) };
  const root = String(size).padStart(64, '0');
  const head = {
    at: 1_790_000_000_000,
    format: logHeadFormat,
    position: '7/7',
    previousSize: 0,
    proof: [],
    root,
    size,
  };
  const jws = await new CompactSign(Buffer.from(canonicalJson(head)))
    .setProtectedHeader({ alg: 'RS256', jwk, kid: await calculateJwkThumbprint(jwk), typ: 'log-head+jws' })
    .sign(privateKey);
  return { ...head, jws };
};

test('an auditor who has only the package verifies an export, with the keys that were kept', () => {
  const { status, said } = verify('export.ndjson', '--jwks', 'jwks.json');
  expect(said).toContain('Nothing was changed, removed or added');
  expect(status).toBe(0);
});

test('the line that was changed is named', () => {
  const lines = readFileSync(join(project, 'export.ndjson'), 'utf8').split('\n');
  lines[2] = (lines[2] ?? '').replace(/"created":\d/, '"created":9');
  writeFileSync(join(project, 'changed.ndjson'), lines.join('\n'));
  const { status, said } = verify('changed.ndjson', '--json');
  expect(JSON.parse(said)).toMatchObject({ ok: false, line: 3, error: { code: 'not-verified' } });
  expect(status).toBe(1);
});

test('HI-03: a head and a folder of deposits are verified; one with another size in its name is not', async () => {
  const [folder, wrong] = [join(project, 'deposits'), join(project, 'wrong')];
  for (const each of [folder, wrong]) mkdirSync(each);
  const head = JSON.stringify(await headOver(3), null, 2);
  writeFileSync(join(folder, headFileName(3)), head);
  writeFileSync(join(wrong, headFileName(4)), head);
  expect(verify(join('deposits', headFileName(3)))).toMatchObject({ status: 0 });
  const found = verify('deposits', '--json');
  expect([found.status, JSON.parse(found.said)]).toMatchObject([0, { ok: true, heads: 1 }]);
  const bad = verify('wrong');
  expect([bad.status, bad.said]).toEqual([1, expect.stringContaining('its name says another number')]);
});

test.each([
  [['nothing.ndjson'], 'the file nothing.ndjson cannot be read: no such file'],
  [['export.ndjson', '--jwks', 'export.ndjson'], '--jwks export.ndjson is not JSON'],
  [['export.ndjson', 'changed.ndjson'], 'name one file or folder'],
  [['export.ndjson', '--keys', 'x'], "Unknown option '--keys'"],
])('%j is a usage error that says why', (args, why) => {
  const { status, said } = verify(...args);
  expect([status, said]).toEqual([2, expect.stringContaining(why)]);
});
