import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { connectEventStore } from '../../../src/eventstore/client/esdb.ts';
import { lookForTrouble } from '../../../src/eventstore/server/trouble.ts';
import { reachEventStore } from '../../../src/process/service-checks.ts';
import { CannotStart } from '../../../src/process/start-checks.ts';
import { runBeside } from '../../cli/live-service.ts';
import { settingsFor } from '../../operations/running.ts';
import { makeCertificates } from '../../support/servers/certificates.ts';
import { migratedDatabase, type TestDatabase } from '../../support/servers/databases.ts';
import { confirmation, type ReadCall, startFakeNode } from '../../support/servers/fake-node.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

const certificates = await makeCertificates();
const folder = mkdtempSync(join(tmpdir(), 'grantbook-trouble-'));
const caFile = join(folder, 'ca.crt');
writeFileSync(caFile, certificates.ca);
afterAll(() => rmSync(folder, { recursive: true }));

/** A server of KurrentDB's protocol that answers reads as a test says. */
const serve = async (read: (call: ReadCall) => void, { tls = true }: { readonly tls?: boolean } = {}) => {
  const append = (_call: unknown, answer: (error: object) => void) =>
    answer({ code: status.UNAUTHENTICATED, details: 'no' });
  const node = await startFakeNode({ read, append, ...(tls && { tls: certificates.server }) });
  onTestFinished(() => node.close());
  const at = `127.0.0.1:${node.port}`;
  return { at, trusted: `esdb://user:hush@${at}?tls=true&tlsCAFile=${caFile}` };
};

const refuse = (code: status) => (call: ReadCall) => void call.emit('error', { code, details: 'no' });
const nothing = (call: ReadCall) => {
  if (call.request.getOptions()?.hasSubscription()) call.write(confirmation());
  else call.end();
};

const silentServer = async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe('what stands in the way is found by looking', () => {
  test('a certificate of an authority that is not known, and the same once it is named', async () => {
    const { at, trusted } = await serve(nothing);
    expect(await lookForTrouble(`esdb://user:hush@${at}?tls=true`)).toMatchObject({
      found: `has a certificate of an unknown authority (${at}: UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
      advice: expect.stringContaining('tlsCAFile'),
      isFinal: true,
    });
    expect(await lookForTrouble(trusted)).toBeNull();
  });

  test('a certificate for another name; no TLS; only TLS', async () => {
    const { at, trusted } = await serve(nothing);
    const plain = await serve(nothing, { tls: false });
    const found = async (url: string) => (await lookForTrouble(url))?.found;
    expect(await found(trusted.replace('127.0.0.1', 'localhost'))).toMatch(
      /^has a certificate for another host/,
    );
    expect(await found(plain.trusted)).toMatch(/^does not speak TLS/);
    expect(await found(`esdb://${at}?tls=false`)).toMatch(/^speaks only TLS/);
    expect(await found(`esdb://${plain.at}?tls=false`)).toBeUndefined();
  });

  test.each([
    ['a host that is not found', () => Promise.resolve('nobody.invalid:2113'), /^has an unknown host name/],
    ['a host that does not answer', silentServer, /^does not answer .*ETIMEDOUT/],
    [
      'a port where nobody listens',
      () => Promise.resolve('127.0.0.1:1'),
      /^is not running: connection refused/,
    ],
  ])('%s, without a word about TLS; waiting may help', async (_, address, words) => {
    const trouble = await lookForTrouble(`esdb://${await address()}?tls=true`, 200);
    expect(trouble).toMatchObject({ found: expect.stringMatching(words), isFinal: false });
    expect(JSON.stringify(trouble)).not.toMatch(/tls|certificate/i);
  });

  test('of a cluster nothing is reported as long as one host is well', async () => {
    const { at } = await serve(nothing, { tls: false });
    expect(await lookForTrouble(`esdb://${at},127.0.0.1:1?tls=false`)).toBeNull();
  });
});

const start = async (url: string): Promise<unknown> => {
  const store = connectEventStore({ url, logger: quietLogger() });
  onTestFinished(() => store.close());
  const { signal } = new AbortController();
  return reachEventStore({ store, url, logger: quietLogger() }, signal).catch((error: unknown) => error);
};

describe('the service says it at its start, at once, and ends', () => {
  test.each([
    [
      status.UNAUTHENTICATED,
      /^the event store of EVENTSTORE_URL refuses the user or the password: correct them/,
    ],
    [
      status.PERMISSION_DENIED,
      /^the event store of EVENTSTORE_URL accepts the user, but does not let it read \$all: .*docs\/how-to\/prepare-the-servers/,
    ],
  ])('status %i', async (code, sentence) => {
    const { trusted } = await serve(refuse(code));
    const error = await start(trusted);
    expect(error).toBeInstanceOf(CannotStart);
    expect((error as CannotStart).message).toMatch(sentence);
    expect((error as CannotStart).message).not.toContain('hush');
  });

  test('without a user in the URL no wrong one is reported; an unknown authority', async () => {
    const { at } = await serve(refuse(status.UNAUTHENTICATED), { tls: false });
    expect(await start(`esdb://${at}?tls=false`)).toMatchObject({
      message: expect.stringContaining('requires a user and a password'),
    });
    const secure = await serve(nothing);
    expect(await start(`esdb://${secure.at}?tls=true`)).toMatchObject({
      message: expect.stringContaining('certificate of an unknown authority'),
    });
  });
});

describe('the command line', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await migratedDatabase();
  });
  afterAll(() => database.drop());
  const runWith = (url: string, argv: readonly string[]) =>
    runBeside(settingsFor({ databaseUrl: database.url, eventStoreUrl: url }), [...argv, '--json']);
  const examine = async (url: string) => {
    const { json } = await runWith(url, ['doctor']);
    const { findings } = json as { findings: readonly Finding[] };
    return (words: string) => findings.filter(({ found }) => found.includes(words));
  };

  test('names a wrong password, a missing right and an unknown authority in the answer of any command', async () => {
    const { trusted } = await serve(refuse(status.UNAUTHENTICATED));
    const { exitCode, json, stdout } = await runWith(trusted, ['addon', 'list']);
    expect(exitCode).toBe(1);
    expect(json).toMatchObject({
      error: {
        code: 'not-reached',
        setting: 'EVENTSTORE_URL',
        message: expect.stringContaining('refuses the user or the password'),
      },
    });
    expect(stdout).not.toContain('hush');
    const unknown = await runWith(trusted.replace(/&.*/, ''), ['addon', 'list']);
    expect(unknown.stdout).toContain('tlsCAFile');
  });

  test('doctor tells a wrong password once', async () => {
    const { trusted } = await serve(refuse(status.UNAUTHENTICATED));
    const told = (await examine(trusted))('refuses the user or the password');
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ check: 'account at the event store', state: 'failure' });
  });

  test('doctor tells a certificate of an unknown authority once', async () => {
    const { at } = await serve(nothing);
    expect((await examine(`esdb://${at}?tls=true`))('unknown authority')).toMatchObject([
      { check: 'event store', advice: expect.stringContaining('tlsCAFile') },
    ]);
  });
});
