import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '../../src/process/package-root.ts';
import { runOverApi } from './remote/run-remote.ts';

/** Erases the screen, sets the title of the window, and the same in C1; rings, and deletes. */
const hostile = 'a\u001b[2J\u009b2J\u001b]0;x\u0007\r\u007fz\nForged: line';
const control = /[^\P{Control}\n]/u;
const id = '01JD0Z9X7V5T3R1P9N7L5K3J1H';

const me = {
  user_id: id,
  name: hostile,
  roles: ['operator'],
  token_id: id,
  expires_at: null,
  version: packageVersion,
};
let status = 200;
let answered: object = {};
let headers: Readonly<Record<string, string>> = {};
const server = createServer((request, response) => {
  const isWho = request.url === '/operator/api/token';
  response.writeHead(isWho ? 200 : status, {
    'content-type': status < 300 || isWho ? 'application/json' : 'application/problem+json',
    ...(isWho ? {} : headers),
  });
  response.end(JSON.stringify(isWho ? me : answered));
});
beforeAll(() => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)));
afterAll(() => void server.close());

const run = (...args: readonly string[]) =>
  runOverApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, args, {
    env: { GRANTBOOK_TOKEN: 'mkt_admin_x' },
  });

const user = { user_id: id, name: hostile, email: hostile, roles: [], identities: [{ subject: hostile }] };

describe('FX-91: nothing that a service answers controls the terminal', () => {
  test.each<[string, readonly string[], object, number?]>([
    ['a field', ['user', 'show', id], user],
    ['a cell', ['user', 'list'], { items: [user], next: hostile }],
    [
      'a name of an id',
      ['grant', 'list'],
      { items: [{ grant_id: id, user_id: id }], names: { [id]: hostile }, next: null },
    ],
    ['what was done', ['user', 'enable', id], { ...user, _outcome: { text: hostile, names: {} } }],
    [
      'a refusal',
      ['user', 'show', id],
      { type: '/problems/change-refused', code: 'odd', detail: hostile },
      409,
    ],
    [
      'a code and a field',
      ['user', 'show', id],
      { type: `/problems/${hostile}`, detail: hostile, errors: [{ parameter: hostile, allowed: hostile }] },
      400,
    ],
  ])('%s', async (_case, args, json, code = 200) => {
    [status, answered, headers] = [code, json, {}];
    const { stdout, stderr } = await run(...args);
    const printed = stdout + stderr;
    expect(printed).toContain('a?[2J?2J');
    expect(control.exec(printed)).toBeNull();
    const asJson = await run(...args, '--json');
    expect(/[^\P{Control}\n]/u.exec(asJson.stdout + asJson.stderr)).toBeNull();
    expect(JSON.stringify(asJson.json)).toContain('\u009b2J');
  });

  test('a value has no line of its own', async () => {
    [status, answered, headers] = [200, user, {}];
    expect((await run('user', 'show', id)).stdout).not.toMatch(/^Forged/m);
  });

  test('a header', async () => {
    // What is no byte of C0 is allowed in a header.
    [status, answered, headers] = [
      503,
      { type: '/problems/x', detail: 'away' },
      { 'retry-after': '5\u009b2J' },
    ];
    const { stderr } = await run('user', 'show', id);
    expect(stderr).toBe('Refused: away.\n');
  });
});
