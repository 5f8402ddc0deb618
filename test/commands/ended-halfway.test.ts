import { allowableScopes } from '../../src/domain/access/scope.ts';
import { expect, test } from 'vitest';
import { closeOrganization } from '../../src/tasks/organizations/close-organization.ts';
import { makeRevocations } from '../../src/reactions/make-revocations.ts';
import type { EventType } from '../../src/domain/events.ts';
import { memoryActivationReads } from '../support/memory/memory-addon-grants.ts';
import { memoryEpochGrants, memoryOwnGrants } from '../support/memory/memory-grants.ts';
import type { Services } from '../../src/tasks/task.ts';
import { fenceSubjectsOf, judgeFence } from '../../src/domain/fence/fence.ts';
import { activationStream } from '../../src/domain/streams.ts';
import type { GrantSubject } from '../../src/domain/access/grant.ts';
import { terms } from '../support/scenes/grants.ts';
import { grantIdIn } from '../support/memory/issuance.ts';
import { marketplace, valueOf } from '../support/scenes/marketplace.ts';
import { newAddon } from '../support/registering.ts';

const by = '01K9RZ3Q5V0000000000000001';

/** Three add-ons, each active for three organizations with a grant; and a grant of a user's own records of each. */
const scene = async () => {
  /** Appends that succeed before the process is killed: before the next one, or between it and its answer. */
  let left = Infinity;
  let when: 'before' | 'after' = 'before';
  let appends = 0;
  let die = () => {};
  /** A process that was killed neither goes on nor fails. */
  const killed = async (moment: typeof when): Promise<void> => {
    if (moment === 'before') appends += 1;
    if (when !== moment || appends <= left) return;
    die();
    await new Promise(() => {});
  };
  const market = marketplace({
    beforeAppend: () => killed('before'),
    afterAppend: () => killed('after'),
  });
  const organizations: string[] = [];
  const addons: string[] = [];
  for (const name of ['Mill', 'Harbour', 'Tower']) {
    organizations.push(valueOf(await market.createOrganization({ name })).organizationId);
    const { clientId } = await newAddon(market, {
      name: `${name} Door`,
      redirectUris: [terms.redirectUri],
      allowedScopes: allowableScopes,
    });
    addons.push(clientId);
  }
  const who = { email: 'ada@example.com', name: 'Ada', password: 'correct horse', administratorOf: [] };
  const { userId } = valueOf(await market.createUser({ ...who, roles: [] }));
  const grants: { readonly addonId: string; readonly subject: GrantSubject; readonly grantId: string }[] = [];
  const { nonce, resources, authTime, codeChallenge, redirectUri, scopes } = terms;
  for (const addonId of addons) {
    for (const organizationId of organizations)
      valueOf(await market.activateAddon({ addonId, organizationId, by, sessionId: null, asOperator: true }));
    const subjects: readonly GrantSubject[] = [
      { kind: 'user', userId, epoch: 0 },
      ...organizations.map((organizationId) => ({ kind: 'organization', organizationId, epoch: 1 }) as const),
    ];
    for (const subject of subjects) {
      const asked = { subject, scopes, redirectUri, nonce, resources, authTime, codeChallenge };
      valueOf(await market.issueCode({ addonId, userId, ...asked }));
      grants.push({ addonId, subject, grantId: grantIdIn(market.store) });
    }
  }
  const isAccepted = async (grant: (typeof grants)[number]) => {
    const claims = { ...grant, userId };
    return judgeFence(claims, await market.fence.read(fenceSubjectsOf(claims))) === null;
  };
  const accepted = async () => {
    const judged = await Promise.all(grants.map(async (grant) => ((await isAccepted(grant)) ? [grant] : [])));
    return judged.flat();
  };
  return {
    ...market,
    organizations: organizations as [string, ...string[]],
    addons: addons as [string, ...string[]],
    accepted,
    /** Runs until the process is killed; null where it was not. */
    async killing<T>(after: number, moment: typeof when, run: () => Promise<T>): Promise<T | null> {
      [left, when, appends] = [after, moment, 0];
      const died = new Promise<null>((resolve) => (die = () => resolve(null)));
      const outcome = await Promise.race([run(), died]);
      left = Infinity;
      return outcome;
    },
  };
};

type Scene = Awaited<ReturnType<typeof scene>>;

/** Each deactivation and revocation is in the log once. */
const once = ({ store }: Scene) => {
  const ends = store
    .all()
    .filter(({ event: { type } }) =>
      ['AddonDeactivated', 'GrantRevoked', 'AddonRetired', 'OrganizationClosed'].includes(type),
    )
    .map(({ stream, event }) => `${event.type} ${stream}`);
  expect(new Set(ends).size).toBe(ends.length);
  return ends.length;
};

/** Every moment at which the process can be killed, until one at which it has finished. */
const atEveryMoment = async (
  end: (place: Scene) => Promise<unknown>,
  after: (place: Scene, kills: number) => Promise<void>,
) => {
  let kills = 0;
  for (const moment of ['before', 'after'] as const)
    for (let appends = 0; ; appends += 1) {
      const place = await scene();
      if ((await place.killing(appends, moment, () => end(place))) !== null) break;
      kills += 1;
      await after(place, kills);
    }
  return kills;
};

test('AM-12: a retirement that was killed at any moment is completed by the same command, with every receipt', async () => {
  const retire = ({ addons, retireAddon }: Scene) => retireAddon({ addonId: addons[0], by });
  const kills = await atEveryMoment(retire, async (place) => {
    const { organizations, addons, accepted, showActivation } = place;
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const { receipts, ownGrants } = valueOf(await retire(place));
      expect(receipts.map(({ organizationId }) => organizationId).sort()).toEqual([...organizations].sort());
      expect(ownGrants).toBe(1);
    }
    for (const organizationId of organizations)
      expect((await showActivation(organizationId, addons[0])).status).toBe('deactivated');
    const others = await accepted();
    expect([others.length, others.some(({ addonId }) => addonId === addons[0])]).toEqual([8, false]);
    expect(once(place)).toBe(1 + 3 + 1);
  });
  expect(kills).toBeGreaterThanOrEqual(10);
});

/** Over read models that have applied the whole log, or that are `behind`. */
const close = (place: Scene, behind = false) => {
  const readModels = {
    waitFor: () => Promise.resolve(!behind),
    beginCount: () => () => Promise.resolve(null),
    addonsActivatedFor: () => Promise.resolve(behind ? [] : place.addons),
  };
  const services = { commands: place, readModels } as unknown as Services;
  return closeOrganization(services, place.organizations[0], { traceparent: '' });
};

/** What the next instance that starts does with the whole log, in its order. */
const react = async ({ store, fence, now }: Scene) => {
  const reaction = makeRevocations({
    store,
    fence,
    now,
    epochGrants: memoryEpochGrants(store),
    ownGrants: memoryOwnGrants(store),
    activationReads: memoryActivationReads(store.all),
  });
  for (let done = 0; done < store.all().length; done += 1) {
    const event = store.all()[done];
    if (event) await reaction(event, new AbortController().signal);
  }
};

const statuses = ({ organizations, addons, showActivation }: Scene) =>
  Promise.all(addons.map(async (addonId) => (await showActivation(organizations[0], addonId)).status));

const accepted = async (place: Scene) => (await place.accepted()).length;

const eventsOf = ({ store }: Scene, type: EventType) =>
  store.all().filter(({ event }) => event.type === type).length;

test('FX-50: a close that was killed at any moment has closed nothing, or the next start of an instance ends all access', async () => {
  const kills = await atEveryMoment(close, async (place) => {
    await react(place);
    const isClosed = eventsOf(place, 'OrganizationClosed') > 0;
    expect(await accepted(place)).toBe(isClosed ? 12 - 3 : 12);
    expect(eventsOf(place, 'AddonDeactivated')).toBe(isClosed ? 3 : 0);
    expect(eventsOf(place, 'GrantRevoked')).toBe(isClosed ? 3 : 0);
    expect(eventsOf(place, 'RevocationCompleted')).toBe(isClosed ? 3 : 0);
    once(place);
  });
  expect(kills).toBeGreaterThanOrEqual(8);
});

test('FX-50: a close is answered with success while the read models are behind; all access has ended then, and the receipts follow', async () => {
  const place = await scene();
  const closed = await close(place, true);
  expect(closed).toMatchObject({ ok: true, changed: true, receipts: [], isComplete: false });
  expect(await accepted(place)).toBe(12 - 3);
  expect(await statuses(place)).toEqual(['deactivated', 'deactivated', 'deactivated']);
  expect(eventsOf(place, 'AddonDeactivated')).toBe(0);
  await react(place);
  expect(eventsOf(place, 'AddonDeactivated')).toBe(3);
  const again = await close(place);
  expect(again).toMatchObject({ ok: true, changed: false, isComplete: true });
  expect(again.ok && again.receipts.map(({ client_id: id }) => id)).toEqual(place.addons);
});

test('FX-50: a close is answered with success where a deactivation fails after it, and the reaction deactivates', async () => {
  const place = await scene();
  const failing = { ...place, deactivateAddon: () => Promise.reject(new Error('the event store is away')) };
  expect(await close(failing)).toMatchObject({ ok: true, receipts: [], isComplete: false });
  expect(await accepted(place)).toBe(12 - 3);
  await react(place);
  expect(eventsOf(place, 'AddonDeactivated')).toBe(3);
});

test('FX-50: an activation that was killed after the organization was closed is taken back by the reaction, by nobody else', async () => {
  const place = await scene();
  const [organizationId, addonId] = [place.organizations[0], place.addons[0]];
  valueOf(await place.deactivateAddon({ organizationId, addonId, by }));
  expect(await close(place)).toMatchObject({ ok: true });
  const stream = activationStream(organizationId, addonId);
  const { revision } = await place.store.read(stream);
  const data = { organizationId, addonId, by, epoch: 2, at: place.now() };
  await place.store.append(stream, revision, [{ event: { type: 'AddonActivated', data } }]);
  expect(await statuses(place)).toEqual(['deactivated', 'deactivated', 'deactivated']);
  await react(place);
  const { events } = await place.store.read(stream);
  const ends = events.filter(({ event }) => event.type === 'AddonDeactivated' && event.data.epoch === 2);
  expect(ends).toHaveLength(1);
});

test('FX-50: a retirement that was killed at any moment is completed by the next start of an instance', async () => {
  const kills = await atEveryMoment(
    ({ addons, retireAddon }) => retireAddon({ addonId: addons[0], by }),
    async (place) => {
      await react(place);
      const isRetired = eventsOf(place, 'AddonRetired') > 0;
      expect(await accepted(place)).toBe(isRetired ? 12 - 4 : 12);
      expect(eventsOf(place, 'GrantRevoked')).toBe(isRetired ? 4 : 0);
      expect(eventsOf(place, 'AddonDeactivated')).toBe(isRetired ? 3 : 0);
      once(place);
    },
  );
  expect(kills).toBeGreaterThanOrEqual(10);
});

test('AM-10: a close that was killed at any moment is completed by the same command, with every receipt', async () => {
  const kills = await atEveryMoment(close, async (place) => {
    const { organizations, addons, showActivation } = place;
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const closed = await close(place);
      const receipts = closed.ok ? closed.receipts : [];
      expect(receipts.map((receipt) => receipt.client_id).sort()).toEqual([...addons].sort());
    }
    for (const addonId of addons)
      expect((await showActivation(organizations[0], addonId)).status).toBe('deactivated');
    expect(await accepted(place)).toBe(12 - 3);
    expect(once(place)).toBe(1 + 3);
  });
  expect(kills).toBeGreaterThanOrEqual(8);
});

test('FX-95: what had expired is revoked with a scope that the add-on lost, and does not count; a repeat answers the same', async () => {
  const market = await scene();
  const [addonId] = market.addons;
  const [organizationId] = market.organizations;
  market.pass(61_000); // longer than a code lives
  const { nonce, resources, authTime, codeChallenge, redirectUri, scopes } = terms;
  const asked = { nonce, resources, authTime, codeChallenge, redirectUri, scopes };
  const subject = { kind: 'organization', organizationId, epoch: 1 } as const;
  valueOf(await market.issueCode({ addonId, userId: terms.userId, subject, ...asked }));
  valueOf(await market.updateAddon({ addonId, scopes: ['openid'] }));
  const counted = async () => valueOf(await market.applyAddonScopes(addonId)).ended;
  expect(await counted()).toEqual([{ organizationId, grants: 1 }]);
  const revoked = market.store.all().filter(({ event }) => event.type === 'GrantRevoked');
  expect(revoked).toHaveLength(5);
  market.pass(61_000);
  expect(await counted()).toEqual([{ organizationId, grants: 1 }]);
});
