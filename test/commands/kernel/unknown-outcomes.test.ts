import { describe, expect, test } from 'vitest';
import { retryUnknownOutcome } from '../../../src/commands/kernel/retry-unknown-outcome.ts';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import type { MemoryStoreHooks } from '../../support/memory/memory-store.ts';

const addon = {
  name: 'Door Opener',
  redirectUris: ['https://doors.example/callback'],
  configurationUrl: null,
  allowedScopes: [],
  confidential: true,
};
const ada = {
  email: 'ada@example.com',
  name: 'Ada',
  password: 'correct horse',
  administratorOf: [],
  roles: [],
};
const profile = { name: 'Ada', email: ada.email, userId: null, phone: null, locale: null, externalId: null };

/** A log whose every append of this type, once it is armed, ends without a word: the first time only. */
const silentOnce = (when: keyof MemoryStoreHooks) => {
  let armed = true;
  const hang = () => {
    if (!armed) return;
    armed = false;
    throw new AppendOutcomeUnknown('no word from the log');
  };
  return { hooks: { [when]: hang }, arm: () => (armed = true) };
};

test('FX-43: an append that may be written stays one when the event store is away for the second run', async () => {
  const unknown = new AppendOutcomeUnknown('no word from the log');
  const run = (attempt: 'first' | 'again') =>
    Promise.reject(attempt === 'first' ? unknown : new EventStoreUnavailable('nothing was written'));
  await expect(retryUnknownOutcome(run)).rejects.toBe(unknown);
});

describe.each(['beforeAppend', 'afterAppend'] as const)('an append that ends without a word (%s)', (when) => {
  test('registers an add-on once, and its secret is the one that is answered', async () => {
    const { registerAddon, findAddon, types } = marketplace(silentOnce(when).hooks);
    const { clientId } = valueOf(await registerAddon(addon));
    expect((await findAddon(clientId))?.secretDigests).toHaveLength(1);
    expect(types()).toEqual(['AddonRegistered', 'AddonSecretAdded']);
  });

  test('creates an organization once', async () => {
    const { createOrganization, types } = marketplace(silentOnce(when).hooks);
    valueOf(await createOrganization({ name: 'Harbour House' }));
    expect(types()).toEqual(['OrganizationCreated']);
  });

  test('starts one session, which its cookie opens, and ends it once', async () => {
    const { hooks, arm } = silentOnce(when);
    const { createUser, signIn, signOut, readSession, types } = marketplace(hooks);
    await createUser(ada).catch(() => createUser(ada));
    arm();
    const { cookie, session } = valueOf(await signIn(ada));
    expect(await readSession(cookie)).toEqual(session);
    arm();
    await signOut(session.sessionId);
    expect(types().slice(3)).toEqual(['SessionStarted', 'SessionEnded']);
  });

  test('records a version once', async () => {
    const { recordProfile, types } = marketplace(silentOnce(when).hooks);
    const key = { organizationId: 'org', id: 'ada', version: 1 };
    expect(await recordProfile({ ...key, record: profile })).toMatchObject({ ok: true });
    expect(types()).toEqual(['ProfileRecorded']);
  });

  test('suspends once, and closes the fence', async () => {
    const { hooks, arm } = silentOnce(when);
    const { registerAddon, suspendAddon, types, fence } = marketplace(hooks);
    const { clientId } = valueOf(await registerAddon({ ...addon, confidential: false }));
    arm();
    expect(await suspendAddon(clientId)).toMatchObject({ ok: true });
    expect(types()).toEqual(['AddonRegistered', 'AddonSuspended']);
    expect([...fence.rows().values()]).toMatchObject([{ revision: 1n, open: false }]);
  });
});
