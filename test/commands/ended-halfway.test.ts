import { withoutDetails } from '../../src/domain/access/scope.ts';
import { expect, test } from 'vitest';
import { closeOrganization } from '../../src/administration/organizations/close-organization.ts';
import type { Services } from '../../src/administration/task.ts';
import { fenceSubjectsOf, judgeFence } from '../../src/domain/fence/fence.ts';
import type { GrantSubject } from '../../src/domain/access/grant.ts';
import { terms } from '../support/scenes/grants.ts';
import { grantIdIn } from '../support/memory/issuance.ts';
import { marketplace, valueOf } from '../support/scenes/marketplace.ts';

const by = '01K9RZ3Q5V0000000000000001';

/** Three add-ons, each active for three organizations with a grant; and a grant of a user's own records of each. */
const scene = async () => {
  /** Appends that succeed before the process is killed: before the next one, or between it and its answer. */
  let left = Infinity;
  let when: 'before' | 'after' = 'before';
  let appends = 0;
  const killed = (moment: typeof when) => {
    if (moment === 'before') appends += 1;
    if (when === moment && appends > left) throw new Error('killed');
  };
  const market = marketplace({
    beforeAppend: () => killed('before'),
    afterAppend: () => killed('after'),
  });
  const organizations: string[] = [];
  const addons: string[] = [];
  for (const name of ['Mill', 'Harbour', 'Tower']) {
    organizations.push(valueOf(await market.createOrganization({ name })).organizationId);
    const { clientId } = valueOf(
      await market.registerAddon({
        name: `${name} Door`,
        redirectUris: [terms.redirectUri],
        configurationUrl: 'https://addon.example/configure',
        allowedScopes: withoutDetails(terms.scopes),
        confidential: false,
      }),
    );
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
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof Error) || error.message !== 'killed') throw error;
        return null;
      } finally {
        left = Infinity;
      }
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

test('AM-10: a close that was killed at any moment is completed by the same command, with every receipt', async () => {
  const close = (place: Scene) => {
    const readModels = {
      waitFor: () => Promise.resolve(true),
      beginCount: () => () => Promise.resolve(null),
      addonsActivatedFor: () => Promise.resolve(place.addons),
    };
    const services = { commands: place, readModels, settle: () => Promise.resolve() } as unknown as Services;
    return closeOrganization(services, place.organizations[0], { traceparent: '' });
  };
  const kills = await atEveryMoment(close, async (place) => {
    const { organizations, addons, accepted, showActivation } = place;
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const closed = await close(place);
      const receipts = closed.ok ? closed.receipts : [];
      expect(receipts.map((receipt) => receipt.client_id).sort()).toEqual([...addons].sort());
    }
    for (const addonId of addons)
      expect((await showActivation(organizations[0], addonId)).status).toBe('deactivated');
    expect(await accepted()).toHaveLength(12 - 3);
    expect(once(place)).toBe(1 + 3);
  });
  expect(kills).toBeGreaterThanOrEqual(8);
});
