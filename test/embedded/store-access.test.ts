import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient, NO_STREAM, type ResolvedEvent } from '@eventstore/db-client';
import { afterAll, expect, test } from 'vitest';
import { collect, happened } from '../../packages/eventstore-node/test/contract/steps.ts';
import { makeServerCertificates } from '../../src/embedded/certificates.ts';
import { makeStoreAccess } from '../../src/embedded/start-embedded.ts';
import { startTestNode } from '../support/servers/node.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const node = await startTestNode({ access: await makeStoreAccess(folder) });
afterAll(() => node.close());
const url = new URL(node.url);

/** What each call of a client with this connection string ends in. */
const refusals = async (connection: string): Promise<readonly string[]> => {
  const client = EventStoreDBClient.connectionString(connection);
  const calls = [
    () => collect(client.readAll() as AsyncIterable<ResolvedEvent>),
    () => collect(client.readStream('a-stream')),
    () => client.appendToStream('a-stream', happened(), { expectedRevision: NO_STREAM }),
    () => client.appendToStream('a-stream', happened(), { credentials: { username: 'a', password: 'b' } }),
    () => client.deleteStream('a-stream'),
    () => client.tombstoneStream('a-stream'),
    () => collect(client.subscribeToAll()),
  ];
  try {
    const ends = [];
    for (const call of calls) ends.push(await call().then(() => 'served', (error: Error) => error.constructor.name)); // prettier-ignore
    return ends;
  } finally {
    await client.dispose();
  }
};
const allOf = (name: string) => Array.from({ length: 7 }, () => name);

test('CL-01: every call without the secret, or with another, is refused', async () => {
  const { host, username, search } = url;
  expect(await refusals(`esdb://${host}${search}`)).toEqual(allOf('AccessDeniedError'));
  expect(await refusals(`esdb://${username}:wrong@${host}${search}`)).toEqual(allOf('AccessDeniedError'));
});

test('CL-01: nothing is served without TLS, nor to who trusts another authority', async () => {
  const { host, username, password } = url;
  const other = join(folder, 'other.pem');
  writeFileSync(other, (await makeServerCertificates()).authority);
  const served = [
    ...(await refusals(`esdb://${host}?tls=false`)),
    ...(await refusals(`esdb://${username}:${password}@${host}?tlsCAFile=${encodeURIComponent(other)}`)),
  ].filter((end) => end === 'served');
  expect(served).toEqual([]);
});

test('CL-01: the connection string that is handed out leads to the log', async () => {
  const client = EventStoreDBClient.connectionString(node.url);
  await client.appendToStream('mine', happened(), { expectedRevision: NO_STREAM });
  expect(await collect(client.readStream('mine'))).toHaveLength(1);
  await client.dispose();
});

test('CL-01: secret and authority are new at each start', async () => {
  const [one, other] = [await makeStoreAccess(folder), await makeStoreAccess(folder)];
  expect(one.secret).not.toBe(other.secret);
  expect(one.certificate).not.toBe(other.certificate);
  expect(one.secret.length).toBeGreaterThanOrEqual(43);
});
