import { expect, test } from 'vitest';
import { hidden, hiddenFields, plainJson, replay } from '../../src/audit/replay.ts';
import { eventSchemas } from '../../src/eventstore/codec/codec.ts';
import { isStreamName } from '../../src/eventstore/codec/validate.ts';
import type { StreamName } from '../../src/domain/streams.ts';
import { issuance } from '../support/memory/issuance.ts';
import { valueOf } from '../support/outcomes.ts';
import { decodeStored } from './decode-stored.ts';

const grantOf = async () => {
  const world = await issuance();
  const { refreshToken } = await world.newPair();
  valueOf(await world.refresh(refreshToken));
  await world.commands.revokeToken({ addonId: world.addonId, token: refreshToken });
  const stream = world.store.all().findLast((event) => event.stream.startsWith('grant-'))?.stream ?? '';
  return { ...world, stream, needs: { log: world.store, decode: decodeStored } };
};

type State = { readonly status?: string };
const statuses = (steps: Awaited<ReturnType<typeof replay>>['steps']) =>
  steps.map(({ stored, state }) => [stored.type, (state as State).status]);

test('a stream is folded event by event, with the state that its decider has after each', async () => {
  const { needs, stream } = await grantOf();
  const { steps, next } = await replay(needs, { stream, limit: 10 });
  expect(statuses(steps)).toEqual([
    ['AuthorizationCodeIssued', 'code-issued'],
    ['AuthorizationCodeRedeemed', 'live'],
    ['TokensRefreshed', 'live'],
    ['GrantRevoked', 'revoked'],
  ]);
  expect(next).toBeNull();
  expect(steps[2]?.state).toMatchObject({ current: { rotation: 1 }, previous: { rotation: 0 } });
});

test('it ends where it should: at a revision, a position or a time', async () => {
  const { needs, stream, store } = await grantOf();
  const events = store.all().filter((event) => event.stream === stream);
  const upTo = async (until: Parameters<typeof replay>[1]['until']) =>
    (await replay(needs, { stream, limit: 10, ...(until && { until }) })).steps.length;
  expect(await upTo({ revision: 1n })).toBe(2);
  expect(await upTo({ position: events[2]?.position ?? { commit: 0n, prepare: 0n } })).toBe(3);
  const times = [100, 200, 300, 400];
  const timed = {
    ...needs,
    log: {
      ...store,
      readStored: async (...asked: Parameters<typeof store.readStored>) =>
        (await store.readStored(...asked)).map((event) => ({
          ...event,
          created: times[Number(event.revision)] ?? 0,
        })),
    },
  };
  const at = async (time: number) =>
    (await replay(timed, { stream, limit: 10, until: { time } })).steps.length;
  expect([await at(99), await at(100), await at(299), await at(400)]).toEqual([0, 1, 2, 4]);
});

test('more than is asked for is not shown, and the rest continues from there with the same states', async () => {
  const { needs, stream } = await grantOf();
  const whole = await replay(needs, { stream, limit: 10 });
  const first = await replay(needs, { stream, limit: 3 });
  const rest = await replay(needs, { stream, limit: 3, from: first.next ?? 0n });
  expect(first.next).toBe(3n);
  expect([...first.steps, ...rest.steps]).toEqual(whole.steps);
});

test('salts and digests are not shown, in no event and in no state', async () => {
  const { needs, store } = await grantOf();
  const streams = new Set(store.all().map(({ stream }) => stream));
  const shown = [];
  for (const stream of streams) {
    const { steps } = await replay(needs, { stream, limit: 100 });
    shown.push(...steps.map(({ data, state }) => ({ data, state })));
  }
  const text = JSON.stringify(shown);
  const secrets = store.all().flatMap(({ event }) => ('salt' in event.data ? [event.data.salt] : []));
  expect(secrets.length).toBeGreaterThan(2);
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).toContain(hidden);
});

test('every field of an event whose name speaks of a secret is hidden', () => {
  const secretive = /salt|hash|digest|secret$|password|challenge|verifier|nonce|token$/i;
  const fields = Object.values(eventSchemas).flatMap((schema) => Object.keys(schema.shape));
  const found = [...new Set(fields.filter((name) => secretive.test(name)))];
  expect(found.length).toBeGreaterThan(3);
  expect(found.filter((name) => !hiddenFields.has(name))).toEqual([]);
  expect(plainJson({ salt: 'x', list: [{ digest: 'y' }], by: new Map([['a', { nonce: null }]]) })).toEqual({
    salt: hidden,
    list: [{ digest: hidden }],
    by: { a: { nonce: null } },
  });
});

test.each([
  'grant',
  'grant-',
  'grant-a b',
  '$all',
  '$$grant-A',
  'nothing-A',
  'toString-A',
  `grant-${'x'.repeat(201)}`,
])('what is no stream of ours is not replayed: %s', (name) => {
  expect(isStreamName(name)).toBe(false);
  expect(isStreamName('grant-A' satisfies StreamName)).toBe(true);
});
