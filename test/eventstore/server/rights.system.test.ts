import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { connectEventStore } from '../../../src/eventstore/client/esdb.ts';
import {
  everyRight,
  neededByRequests,
  type Right,
  rights,
} from '../../../src/eventstore/server/rights-of-account.ts';
import { reachEventStore } from '../../../src/process/service-checks.ts';
import { CannotStart } from '../../../src/process/start-checks.ts';
import { runBeside } from '../../cli/live-service.ts';
import { makeAddon, makeCast, run, type Running, settingsFor } from '../../operations/running.ts';
import { makeCertificates } from '../../support/servers/certificates.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';
import { ok, slowly } from '../../../src/cli/doctor/finding.ts';
import { notReady } from '../../../src/eventstore/server/trouble-words.ts';
import { startFakeNode } from '../../support/servers/fake-node.ts';
import { startTestNode } from '../../support/servers/node.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { allowTrouble, expectTrouble } from '../../support/trouble/expect-trouble.ts';

/** A server with TLS and users, whose rights can be withdrawn and given back. */
const folder = mkdtempSync(join(tmpdir(), 'grantbook-rights-'));
const { ca, server } = await makeCertificates();
const authorityFile = join(folder, 'ca.crt');
writeFileSync(authorityFile, ca);

const access = {
  user: 'grantbook',
  secret: 'hush',
  certificate: server.cert,
  key: server.key,
  authorityFile,
};
const [node, database] = await Promise.all([startTestNode({ access }), migratedDatabase()]);
afterAll(async () => {
  await Promise.all([node.close(), database.drop()]);
  rmSync(folder, { recursive: true });
});

const denied = (right: Right): (() => void) => {
  const giveBack = node.faults.deny(right);
  onTestFinished(giveBack);
  return giveBack;
};

/** How the right is named, and the command that grants it. */
const commandOf = (right: Right): string =>
  right === 'read-all'
    ? `setStreamMetadata('$all', { acl: { readRoles: ['$admins', 'grantbook'] } })`
    : `append {"$userStreamAcl":{"${rights[right].acl}":["$admins","grantbook"]}} to $settings`;

const start = async (url: string) => {
  const store = connectEventStore({ url, logger: quietLogger() });
  onTestFinished(() => store.close());
  const logger = quietLogger();
  const { signal } = new AbortController();
  const error = await reachEventStore({ store, url, logger }, signal).catch((thrown: unknown) => thrown);
  const warned = logger.lines.map(({ message }) => message);
  return error instanceof CannotStart ? { refused: error.message, warned } : { refused: null, warned };
};

const commandLine = (argv: readonly string[], url = node.url) =>
  runBeside(settingsFor({ databaseUrl: database.url, eventStoreUrl: url }), [...argv, '--json']);

describe.each(everyRight)('FX-44: without the right %s', (right) => {
  const named = rights[right].name;

  test('the start names it and the command that grants it, and refuses if requests need it', async () => {
    denied(right);
    const { refused, warned } = await start(node.url);
    const said = neededByRequests.includes(right) ? refused : warned.at(-1);
    expect(said).toContain(`accepts the user, but does not let it ${named}: grant it`);
    expect(said).toContain(commandOf(right));
    expect(refused === null).toBe(!neededByRequests.includes(right));
    expect(said).not.toContain('hush');
  });

  test('doctor names it once, with the command', async () => {
    denied(right);
    const { json, exitCode } = await commandLine(['doctor']);
    const { findings } = json as { findings: readonly Finding[] };
    const told = findings.filter(({ found, advice }) => `${found} ${advice}`.includes(named));
    expect([exitCode, told]).toMatchObject([
      1,
      [
        {
          check: 'account at the event store',
          state: 'failure',
          found: expect.stringMatching(new RegExp(`^may not: ${named.replace('$', '[$]')}(;|$)`)),
          advice: expect.stringContaining(commandOf(right)),
        },
      ],
    ]);
    expect(
      findings.filter(({ check, state }) => check.startsWith('writes of the event') && state !== 'ok'),
    ).toEqual([]);
  });
});

test.each([
  ['append', ['organization', 'create', '--name', 'X'], 'right-missing'],
  ['read', ['audit', 'check-log'], 'right-missing'],
  ['read-all', ['organization', 'list'], 'not-reached'],
] as const)('FX-44: a command without the right %s says so (%#)', async (right, argv, code) => {
  denied(right);
  const { exitCode, json, stdout } = await commandLine(argv);
  expect(stdout).not.toMatch(/connection|lost|unreachable/);
  expect([exitCode, json]).toMatchObject([1, { error: { code } }]);
  expect(stdout).toContain(rights[right].name);
});

test('FX-44, FX-101: a missing user in the address is reported as that, by the service and by doctor', async () => {
  const error = { code: status.PERMISSION_DENIED, details: 'Access Denied' };
  const refuse = (_call: unknown, answer: (error: object) => void) => answer(error);
  const anonymous = await startFakeNode({
    read: (call) => void call.emit('error', error),
    append: refuse,
    tombstone: refuse,
    tls: server,
  });
  onTestFinished(() => anonymous.close());
  const url = `esdb://127.0.0.1:${anonymous.port}?tls=true&tlsCAFile=${authorityFile}`;
  const said = 'requires a user and a password, but EVENTSTORE_URL has none';
  expect((await start(url)).refused).toContain(said);
  const { json, stdout } = await commandLine(['doctor'], url);
  expect((json as { findings: readonly Finding[] }).findings).toContainEqual(
    expect.objectContaining({ state: 'failure', found: expect.stringContaining(said) as string }),
  );
  expect(stdout).not.toContain('USER');
});

test('FX-101: what does not answer is named with its host and the cause, and a slow answer is a warning', async () => {
  const away = settingsFor({ databaseUrl: 'postgresql://a:hush@127.0.0.1:1/x', eventStoreUrl: node.url });
  const { json, stdout } = await runBeside(away, ['doctor', '--json']);
  expect((json as { findings: readonly Finding[] }).findings).toContainEqual(
    expect.objectContaining({
      state: 'failure',
      found: expect.stringContaining('127.0.0.1:1: ECONNREFUSED') as string,
    }),
  );
  expect(stdout).not.toContain('hush');
  expect(notReady(['log1:2113', 'log2:2113'], 'no answer within 7000 ms').found).toContain(
    '(log1:2113, log2:2113: no answer within 7000 ms)',
  );
  const found = ok('event store', 'KurrentDB 26.0.3');
  expect([slowly(found, 100).state, slowly(found, 6_900).state]).toEqual(['ok', 'warning']);
});

describe('FX-44: a right that is withdrawn from a running service', () => {
  allowTrouble(/RightMissing/);
  expectTrouble(/^error: the server cannot be used .*denies a right/);
  let running: Running;
  let refreshToken: string;
  beforeAll(async () => {
    running = await run({ databaseUrl: database.url, eventStoreUrl: node.url });
    await running.workers.ready;
    ({ refreshToken, addonId } = await makeAddon(running.core, await makeCast(running.core)));
  });
  let addonId: string;
  afterAll(() => running.stop());

  const readiness = async () => {
    const { statusCode, json } = await running.app.inject({ url: '/health/ready' });
    return { statusCode, eventStore: (json() as { checks: Record<string, string> }).checks['eventStore'] };
  };
  const refresh = async () => {
    const { statusCode, body } = await running.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: addonId,
        refresh_token: refreshToken,
      }).toString(),
    });
    const said = JSON.parse(body) as Record<string, string>;
    if (statusCode === 200) refreshToken = String(said['refresh_token']);
    return { statusCode, said };
  };
  const isReady = async () => {
    await expect.poll(readiness).toMatchObject({ statusCode: 200 });
  };

  test.each(neededByRequests)(
    '%s: readiness is 503 and names it, and 200 again once it has returned',
    async (right) => {
      await isReady();
      const giveBack = denied(right);
      await expect
        .poll(readiness)
        .toEqual({ statusCode: 503, eventStore: `denies a right: ${rights[right].name}` });
      expect(running.lines.map(({ msg }) => msg)).toContain('the server cannot be used');
      giveBack();
      await isReady();
      expect(await refresh()).toMatchObject({ statusCode: 200 });
    },
  );

  test('a request says that a right is missing', async () => {
    await isReady();
    const giveBack = denied('append');
    expect(await refresh()).toEqual({
      statusCode: 503,
      said: {
        error: 'temporarily_unavailable',
        error_description: 'the service lacks a right at its event store, which its operator has to grant',
      },
    });
    giveBack();
    expect(await refresh()).toMatchObject({ statusCode: 200 });
  });

  test('what no request needs makes readiness degraded at most', async () => {
    for (const right of ['delete', 'read-metadata'] as const) denied(right);
    expect(await readiness()).toMatchObject({ statusCode: 200 });
  });
});
