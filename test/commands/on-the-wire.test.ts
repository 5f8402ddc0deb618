import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccessRight } from '../../src/domain/records/access-right.ts';
import { marketplace, valueOf } from '../support/scenes/marketplace.ts';
import { testEventStore, type TestEventStore } from '../support/servers/test-event-store.ts';

let store: TestEventStore;
beforeAll(async () => void (store = await testEventStore()));
afterAll(() => store.close());

const right: AccessRight = {
  profileId: 'person_1',
  opens: 'Front door',
  validFrom: '2026-01-01T00:00:00Z',
  validUntil: null,
  status: 'active',
  reservationId: null,
};
const profile = {
  name: 'Ada',
  email: 'ada@example.com',
  userId: null,
  phone: null,
  locale: null,
  externalId: null,
};

/** Event for event: every schema of the log takes what these commands write, and every name is a stream's. */
test('the marketplace works over the real client and the embedded node', async () => {
  const market = marketplace({}, store);
  const { organizationId } = valueOf(await market.createOrganization({ name: 'Harbour House' }));
  const ada = {
    email: 'ada@example.com',
    name: 'Ada',
    password: 'correct horse',
    roles: ['auditor'] as const,
  };
  const { userId } = valueOf(await market.createUser({ ...ada, administratorOf: [organizationId] }));
  expect(await market.createUser({ ...ada, administratorOf: [organizationId] })).toMatchObject({
    refusal: 'email-taken',
  });
  expect(await market.isAdministrator(organizationId, userId)).toBe(true);

  const { cookie, session } = valueOf(await market.signIn(ada));
  expect(await market.readSession(cookie)).toEqual(session);
  await market.signOut(session.sessionId);
  expect(await market.readSession(cookie)).toBeNull();

  const { clientId } = valueOf(
    await market.registerAddon({
      name: 'Door Opener',
      redirectUris: ['https://doors.example/callback'],
      configurationUrl: 'https://doors.example/configure',
      allowedScopes: ['openid', 'access-rights:read'],
      confidential: true,
    }),
  );
  await market.suspendAddon(clientId);
  expect(await market.findAddon(clientId)).toMatchObject({ name: 'Door Opener', suspended: true });
  await market.resumeAddon(clientId);
  expect(await market.findAddon(clientId)).toMatchObject({ suspended: false });
});

test('LI-08: records are added, found unchanged, changed and removed over the real client', async () => {
  const { recordAccessRight, recordProfile, recordReservation } = marketplace({}, store);
  const key = { organizationId: 'harbour', id: 'r_1' };
  const times = { startsAt: '2026-01-01T09:00:00Z', endsAt: '2026-01-01T10:00:00Z' };
  const booking = { profileId: 'person_1', resource: 'Room', ...times, title: null, note: null };
  const record = async (version: number, content: AccessRight | null) =>
    valueOf(await recordAccessRight({ ...key, version, record: content })).effect;
  expect(await record(1, right)).toBe('added');
  expect(await record(1, right)).toBe('unchanged');
  expect(await record(2, { ...right, status: 'revoked' })).toBe('changed');
  expect(await record(3, null)).toBe('removed');
  expect(valueOf(await recordProfile({ ...key, version: 1, record: profile })).effect).toBe('added');
  expect(valueOf(await recordProfile({ ...key, version: 2, record: null })).effect).toBe('removed');
  const reservation = { ...booking, status: 'confirmed' } as const;
  expect(valueOf(await recordReservation({ ...key, version: 1, record: reservation })).effect).toBe('added');
  expect(valueOf(await recordReservation({ ...key, version: 2, record: null })).effect).toBe('removed');
});
