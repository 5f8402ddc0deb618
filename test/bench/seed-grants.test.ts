import { afterAll, expect, test } from 'vitest';
import { startNode } from '#eventstore-node';
import { makeVerifyAccessToken } from '../../src/commands/credentials/access-token.ts';
import { load } from '../../src/commands/kernel/handle.ts';
import { grantDecider } from '../../src/domain/access/grant.ts';
import { grantStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { seedGrants, type Seed } from '../../bench/revocation/seed-grants.ts';
import { accessTokenOf } from '../../bench/revocation/tokens-of.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { keys } from '../support/memory/issuance.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll } from '../support/log/test-projector.ts';

const at = Date.UTC(2026, 10, 21);
const idOf = (n: number) => `01J${String(n).padStart(23, '0')}`;
const seedOf = (organization: number, size: number, first: number): Seed => ({
  terms: {
    addonId: idOf(1),
    organizationId: idOf(organization),
    epoch: 1,
    scopes: ['profiles:read', 'access-rights:read'],
    redirectUri: 'https://addon.example/callback',
    keyId: 'k1',
    at,
    expiresAt: at + 3_600_000,
  },
  grantIds: Array.from({ length: size }, (_, index) => idOf(first + index)),
  userIds: [idOf(2), idOf(3)],
});
/** More than one chunk of COPY. */
const seeds = [seedOf(10, 1, 1000), seedOf(11, 600, 2000)];
const lastGrant = idOf(2599);

const [log, seeded, rebuilt] = await Promise.all([freshDatabase(), testReadModels(), testReadModels()]);
await (await startNode({ databaseUrl: log.url })).close();
await seedGrants({ logUrl: log.url, databaseUrl: seeded.database.url }, seeds);
const node = await startNode({ databaseUrl: log.url });
const store = connectEventStore({ url: node.url, logger: quietLogger() });
afterAll(async () => {
  await store.close();
  await node.close();
  await Promise.all([log.drop(), seeded.close(), rebuilt.close()]);
});

test('a seeded grant folds to a live one, and its token opens as one that the service made', async () => {
  const { state, revision } = await load(store, grantStream(lastGrant), grantDecider);
  expect(state).toMatchObject({
    status: 'live',
    terms: { grantId: lastGrant, userId: idOf(3), subject: { organizationId: idOf(11), epoch: 1 } },
  });
  expect(revision).toBe(1n);
  const token = await accessTokenOf({ store, keys }, lastGrant);
  expect(makeVerifyAccessToken({ keys, now: () => at })(token)).toMatchObject({
    grantId: lastGrant,
    addonId: idOf(1),
    scopes: ['profiles:read', 'access-rights:read'],
  });
});

test('DE-06: seeded read models are what a rebuild of the seeded log makes', async () => {
  await projectAll(rebuilt.database.url, store);
  const { checkpoints, ...tables } = await seeded.dump();
  const { checkpoints: _ofTheRebuild, ...expected } = await rebuilt.dump();
  expect(tables).toEqual(expected);
  expect(tables['grants']).toHaveLength(601);
  expect(checkpoints).toContainEqual({
    name: 'read-models',
    commit_position: String((await store.head())?.commit),
    prepare_position: String((await store.head())?.prepare),
  });
});

test('the log goes on behind the seeded events, in a seeded stream too', async () => {
  const before = await store.head();
  const event = { type: 'GrantRevoked', data: { reason: 'addon-deactivated', at } } as const;
  const appended = await store.append(grantStream(lastGrant), 1n, [{ event }]);
  expect(appended).toMatchObject({ ok: true, revision: 2n });
  expect(appended.ok && appended.position.commit > (before?.commit ?? 0n)).toBe(true);
});
