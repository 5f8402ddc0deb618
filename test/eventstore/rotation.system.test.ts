import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { accountStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { openRawLog } from '../../src/eventstore/client/raw-log.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { runBeside } from '../cli/live-service.ts';
import { run, settingsFor } from '../operations/running.ts';
import { makeCertificates } from '../support/servers/certificates.ts';
import { migratedDatabase, type TestDatabase } from '../support/servers/databases.ts';
import { startFakeNode } from '../support/servers/fake-node.ts';
import { startTestNode } from '../support/servers/node.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { startTlsProxy } from '../support/servers/tls-proxy.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

const [before, after] = await Promise.all([makeCertificates(), makeCertificates()]);
const folder = mkdtempSync(join(tmpdir(), 'grantbook-rotation-'));
const file = (name: string) => join(folder, name);
const write = (name: string, pem: string) => writeFileSync(file(name), pem);
const untrusted = /certificate of an unknown authority/;

const node = await startTestNode();
beforeEach(() => write('ca.crt', before.ca));
afterAll(async () => {
  await node.close();
  rmSync(folder, { recursive: true });
});

const startServer = async (identity: Parameters<typeof startTlsProxy>[1] = before.server) => {
  const server = await startTlsProxy(node.port, identity);
  onTestFinished(() => server.close());
  return server;
};

/** Every way in which the gateway uses a server. */
const use = (url: string) => {
  const logger = quietLogger();
  const store = connectEventStore({ url, logger });
  const raw = openRawLog(url);
  const leaving = new AbortController();
  const stream = accountStream(`R${Math.random().toString(36).slice(2)}`);
  const seen: bigint[] = [];
  const following = (async () => {
    const { signal } = leaving;
    for await (const message of store.subscribe({ after: null, eventTypes: ['AccountDisabled'], signal }))
      if (message.kind === 'event' && message.event.stream === stream) seen.push(message.event.revision);
  })();
  onTestFinished(async () => {
    leaving.abort();
    await following;
    await Promise.all([store.close(), raw.close()]);
  });
  let appended = 0n;
  const works = async () => {
    const expected = appended === 0n ? 'no-stream' : appended - 1n;
    const event = { type: 'AccountDisabled', data: { epoch: Number(appended) + 1, at: 1 } } as const;
    const { signal } = leaving;
    const [written] = await Promise.all([
      store.append(stream, expected, [{ event }]),
      store.head(),
      raw.read(null, signal).next(),
    ]);
    expect(written).toMatchObject({ ok: true, revision: appended });
    const probe = () => store.probe().then(() => true, String); // it is never retried by itself
    await expect.poll(probe).toBe(true);
    appended += 1n;
    expect((await store.read(stream)).events).toHaveLength(Number(appended));
    await expect.poll(() => seen.at(-1)).toBe(appended - 1n);
    return appended;
  };
  return { store, works };
};

const settingOf = (addresses: readonly string[]) =>
  `esdb://grantbook:hush@${addresses.join(',')}?tls=true&tlsCAFile=${file('ca.crt')}`;

describe('FX-48: the certificates of a running service are replaced', () => {
  test('a single server: another authority needs no restart once the file is right', async () => {
    const server = await startServer();
    const { works } = use(settingOf([server.address]));
    await works();
    write('ca.crt', after.ca);
    server.restartWith(after.server);
    await works();
    expect(await works()).toBe(3n);
  });

  test('a cluster: the nodes are asked for the leader with the new authority, too', async () => {
    const leader = await startServer();
    const listed = [{ address: leader.address, leads: true }];
    const members = await Promise.all(
      [1, 2, 3].map(async () => {
        const member = await startFakeNode({ members: () => listed });
        const secured = await startTlsProxy(member.port, before.server);
        onTestFinished(async () => {
          await Promise.all([member.close(), secured.close()]);
        });
        return secured;
      }),
    );
    listed.push(...members.map(({ address }) => ({ address, leads: false })));
    const { works } = use(settingOf(members.map(({ address }) => address)));
    await works();
    write('ca.crt', after.ca);
    for (const server of [...members, leader]) server.restartWith(after.server);
    expect(await works()).toBe(2n);
  });

  test("the user's certificate and key are read again, too", async () => {
    write('user.crt', before.client.cert);
    write('user.key', before.client.key);
    const server = await startServer({ ...before.server, ca: before.ca });
    const { works } = use(
      `esdb://${server.address}?tls=true&tlsCAFile=${file('ca.crt')}&userCertFile=${file('user.crt')}&userKeyFile=${file('user.key')}`,
    );
    await works();
    write('user.crt', after.client.cert);
    write('user.key', after.client.key);
    server.restartWith({ ...before.server, ca: after.ca });
    expect(await works()).toBe(2n);
  });

  test('the recipe of docs/how-to/rotate-keys.md, as written', async () => {
    write('new-ca.crt', after.ca);
    const server = await startServer();
    const { works, store } = use(settingOf([server.address]));
    await works();
    const manual = readFileSync(join(packageRoot, 'docs/how-to/rotate-keys.md'), 'utf8');
    const [, recipe = ''] = /^## The event store's certificates$([^]*?)^##/m.exec(manual) ?? [];
    const [both = '', last = ''] = [...recipe.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].map(
      ([, code]) => code ?? '',
    );
    const shell = (code: string) => execFileSync('bash', ['-euc', code], { cwd: folder });
    shell(both);
    server.restartWith(before.server); // its old certificate, still
    await works();
    server.restartWith(after.server);
    await works();
    shell(last);
    server.restartWith(after.server);
    await works();
    expect(readFileSync(file('ca.crt'), 'utf8')).toBe(after.ca);
    server.restartWith(before.server);
    await expect(store.head()).rejects.toThrow(untrusted);
  });

  test('a file that is being written, or missing, changes nothing until a server needs another', async () => {
    const server = await startServer();
    const { works } = use(settingOf([server.address]));
    await works();
    rmSync(file('ca.crt'));
    server.restartWith(before.server);
    expect(await works()).toBe(2n);
  });
});

describe('FX-48: while the file is wrong', () => {
  expectTrouble(/certificate of an unknown authority/);
  let database: TestDatabase;
  beforeAll(async () => {
    database = await migratedDatabase();
  });
  afterAll(() => database.drop());

  test('log, readiness and doctor say so, doctor has no line about its certificate, and all is well once it is right', async () => {
    const server = await startServer();
    const url = settingOf([server.address]);
    const running = await run({ databaseUrl: database.url, eventStoreUrl: url });
    onTestFinished(() => running.stop());
    await running.workers.ready;
    const readiness = async () => {
      const { statusCode, json } = await running.app.inject({ url: '/health/ready' });
      return [statusCode, (json() as { checks: Record<string, string> }).checks['eventStore']];
    };
    await expect.poll(readiness).toEqual([200, 'ok']);
    server.restartWith(after.server);
    await expect.poll(readiness).toEqual([503, 'unreachable: has a certificate of an unknown authority']);
    expect(JSON.stringify(running.lines)).toMatch(untrusted);
    const { json } = await runBeside(settingsFor({ databaseUrl: database.url, eventStoreUrl: url }), [
      'doctor',
      '--json',
    ]);
    const { findings } = json as { findings: readonly Finding[] };
    expect(findings.filter(({ found }) => untrusted.test(found))).toMatchObject([
      { check: 'event store', advice: expect.stringContaining(`the file ${file('ca.crt')} of tlsCAFile`) },
    ]);
    expect(findings.filter(({ check }) => check.startsWith('certificate of EVENTSTORE_URL'))).toEqual([]);
    write('ca.crt', after.ca);
    await expect.poll(readiness).toEqual([200, 'ok']);
  });
});
