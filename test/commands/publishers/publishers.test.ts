import { describe, expect, test } from 'vitest';
import { addonEventsADay, memberEventsADay } from '../../../src/commands/publishers/addon-changes.ts';
import { changesOf } from '../../../src/tasks/publishing/facts.ts';
import type { Services } from '../../../src/tasks/task.ts';
import type { CommandContext } from '../../../src/commands/kernel/context.ts';
import type { ShownChange } from '../../../src/commands/publishers/shown-changes.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { polling } from '../../support/scenes/told-addons.ts';
import { atAppend } from '../../support/memory/at-append.ts';

const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const uri = (name: string) => `https://doors.example/${name}`;

const scene = async (hooks: Parameters<typeof marketplace>[0] = {}) => {
  const market = marketplace(hooks);
  const [ada, bob] = await Promise.all(
    ['ada', 'bob'].map(async (name) => valueOf(await market.createUser(person(name))).userId),
  );
  const { publisherId } = valueOf(await market.createPublisher({ name: 'Doors Ltd' }));
  const { clientId: addonId } = valueOf(await market.registerAddon(registration));
  valueOf(await market.updateAddon({ addonId, publisherId }));
  valueOf(await market.addPublisherMember({ publisherId, userId: ada ?? '' }));
  const own = (userId = ada ?? '') => ({ addonId, member: { userId, byClaim: true } });
  const leave = () => market.removePublisherMember({ publisherId, userId: ada ?? '' });
  const propose = (name = 'two', isFree = false) =>
    market.proposeAddonChange({ ...own(), isFree, addRedirectUris: [uri(name)] });
  const approve = (
    { changeId, revision }: Pick<ShownChange, 'changeId' | 'revision'>,
    by = bob ?? '',
    ...context: readonly CommandContext[]
  ) => market.approveAddonChange({ addonId, changeId, revision, by }, ...context);
  const all = { publisherId, addonId, own, leave, propose, approve };
  return { ...market, ada: ada ?? '', bob: bob ?? '', ...all };
};

const person = (name: string) => ({
  email: `${name}@example.com`,
  name,
  password: 'a long enough password',
  roles: [],
  administratorOf: [],
});
const registration = {
  name: 'Door Opener',
  redirectUris: [uri('callback')],
  configurationUrl: null,
  allowedScopes: ['profiles:read'],
  confidential: true,
} as const;

describe('AP-10: a publisher', () => {
  test('has a name that its add-ons show; a rename reaches an add-on that is given to it at that moment', async () => {
    const { hooks, arm } = atAppend('afterAppend');
    const s = await scene(hooks);
    const shown = async () => (await s.currentAddon(s.addonId))?.publisher;
    expect(await shown()).toBe('Doors Ltd');
    valueOf(await s.updateAddon({ addonId: s.addonId, publisherId: null }));
    arm(() => s.renamePublisher({ publisherId: s.publisherId, name: 'Gates' }));
    valueOf(await s.updateAddon({ addonId: s.addonId, publisherId: s.publisherId }));
    expect(await shown()).toBe('Gates');
    const bad = async (name: string) => (await s.createPublisher({ name })).ok;
    expect([await bad(''), await bad('x'.repeat(10_240)), await bad('\u202Eevil')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test.each([nobody, 'x', '../../', ''])('with the id %j is not there', async (publisherId) => {
    const s = await scene();
    const unknown = { ok: false, refusal: 'publisher-unknown' };
    expect(await s.renamePublisher({ publisherId, name: 'Gates' })).toMatchObject(unknown);
    expect(await s.addPublisherMember({ publisherId, userId: s.ada })).toMatchObject(unknown);
    expect(await s.removePublisherMember({ publisherId, userId: s.ada })).toMatchObject(unknown);
    expect(await s.updateAddon({ addonId: s.addonId, publisherId })).toMatchObject(unknown);
    expect(await s.addPublisherMember({ publisherId: s.publisherId, userId: publisherId })).toMatchObject({
      refusal: 'user-unknown',
    });
  });
});

describe('AP-10: a member', () => {
  test('sees and changes own add-ons, until the removal has returned', async () => {
    const s = await scene();
    expect(await s.ownAddon(s.own())).toMatchObject({ addonId: s.addonId });
    expect(await s.ownAddon(s.own(s.bob))).toBeNull();
    expect(await s.ownAddon({ ...s.own(), addonId: nobody })).toBeNull();
    const { secretId } = valueOf(await s.addOwnAddonSecret(s.own()));
    valueOf(await s.removeOwnAddonSecret({ ...s.own(), secretId }));
    valueOf(await s.leave());
    const unknown = { ok: false, refusal: 'addon-unknown' };
    expect(await s.ownAddon(s.own())).toBeNull();
    expect(await s.addOwnAddonSecret(s.own())).toMatchObject(unknown);
    expect(await s.removeOwnAddonSecret({ ...s.own(), secretId })).toMatchObject(unknown);
    expect(await s.propose()).toMatchObject(unknown);
  });

  test('who is removed between a check and the answer gets neither a secret nor a change', async () => {
    const { hooks, arm } = atAppend('afterAppend');
    const s = await scene(hooks);
    for (const act of [
      () => s.addOwnAddonSecret(s.own()),
      () => s.propose(),
      () => s.propose('three', true),
    ]) {
      arm(s.leave);
      expect(await act()).toMatchObject({ ok: false, refusal: 'addon-unknown' });
      valueOf(await s.addPublisherMember({ publisherId: s.publisherId, userId: s.ada }));
    }
    expect(await s.listAddonSecrets(s.addonId)).toHaveLength(1);
    expect((await s.listAddonChanges(s.addonId))?.map(({ state }) => state)).toEqual([
      'withdrawn',
      'withdrawn',
    ]);
    expect((await s.currentAddon(s.addonId))?.redirectUris).toEqual(registration.redirectUris);
  });

  test(`may change an add-on until it has had ${addonEventsADay} events within a day`, async () => {
    const s = await scene();
    expect(await s.addonChangesPausedUntil(s.addonId, s.ada)).toBeNull();
    for (let index = 0; index < addonEventsADay / 2; index += 1) {
      const { secretId } = valueOf(await s.addAddonSecret(s.addonId));
      valueOf(await s.removeAddonSecret({ addonId: s.addonId, secretId }));
    }
    expect(await s.addonChangesPausedUntil(s.addonId, s.ada)).toBeGreaterThan(0);
  });

  test('FX-89: uses up what is theirs before what all members have together', async () => {
    const s = await scene();
    valueOf(await s.addPublisherMember({ publisherId: s.publisherId, userId: s.bob }));
    for (let index = 0; index < memberEventsADay / 2; index += 1) {
      expect(await s.addonChangesPausedUntil(s.addonId, s.ada)).toBeNull();
      const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
      const context = { traceparent, acting: { actor: s.ada, tokenId: null } };
      const { secretId } = valueOf(await s.addOwnAddonSecret(s.own(), context));
      valueOf(await s.removeOwnAddonSecret({ ...s.own(), secretId }, context));
    }
    expect(await s.addonChangesPausedUntil(s.addonId, s.ada)).toBeGreaterThan(0);
    expect(await s.addonChangesPausedUntil(s.addonId, s.bob)).toBeNull();
  });
});

describe('AP-10: a change', () => {
  test('waits for an operator who is not its author, and is decided once', async () => {
    const s = await scene();
    const { change } = valueOf(await s.propose());
    expect(change).toMatchObject({ state: 'waiting', by: s.ada, addRedirectUris: [uri('two')] });
    const approve = (by: string) => s.approve(change, by);
    expect(await approve(s.ada)).toMatchObject({ refusal: 'own-change' });
    expect((await s.currentAddon(s.addonId))?.redirectUris).toEqual(registration.redirectUris);
    const outcomes = await Promise.all([
      approve(s.bob),
      s.refuseAddonChange({ addonId: s.addonId, changeId: change.changeId, reason: 'no' }),
    ]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.filter((one) => !one.ok)).toMatchObject([{ refusal: 'change-decided' }]);
    expect(await approve(s.bob)).toMatchObject({ refusal: 'change-decided' });
    for (const changeId of [nobody, 'x'.repeat(10_240), ''])
      expect(await s.approve({ ...change, changeId })).toMatchObject({ refusal: 'change-unknown' });
  });

  test('FX-90: is approved by nobody who proposed it, or made a token that did or that approves', async () => {
    const s = await scene();
    const { userId: eve } = valueOf(await s.createUser({ ...person('eve'), roles: ['operator'] }));
    const by = (actor: string, tokenId: string | null) => ({
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      acting: { actor, tokenId },
    });
    const madeFor = async (userId: string, ...maker: Parameters<typeof by>) => {
      const request = { organizationId: null, name: `${maker[0]} ${maker[1]}`, days: 1, by: 'break-glass' };
      return valueOf(await s.issueAdministratorToken({ userId, ...request }, by(...maker))).tokenId;
    };
    const propose = async (...proposer: Parameters<typeof by>) =>
      valueOf(
        await s.proposeAddonChange(
          { ...s.own(), isFree: false, addRedirectUris: [uri('x')] },
          by(...proposer),
        ),
      ).change;
    const approve = async (
      change: Awaited<ReturnType<typeof propose>>,
      ...approver: Parameters<typeof by>
    ) => {
      const done = await s.approve(change, approver[0], by(...approver));
      return done.ok ? 'approved' : done.refusal;
    };
    const ofEve = await madeFor(eve, eve, null);
    const byToken = await propose(s.ada, await madeFor(s.ada, eve, await madeFor(eve, eve, ofEve)));
    expect(await approve(byToken, eve, null)).toBe('own-change');
    expect(await approve(byToken, eve, ofEve)).toBe('own-change');
    expect(await approve(byToken, s.bob, await madeFor(s.bob, s.ada, null))).toBe('own-change');
    expect(await approve(byToken, s.bob, await madeFor(s.bob, eve, null))).toBe('own-change');
    const unknown = await madeFor(s.bob, 'break-glass', null);
    expect(await approve(byToken, s.bob, unknown), 'nobody stands behind it').toBe('approved');
  });

  test('that no longer fits is refused with the field; one whose author has left, too', async () => {
    const s = await scene();
    const [one, two] = [valueOf(await s.propose('two')), valueOf(await s.propose('three'))];
    const approve = ({ change }: typeof one) => s.approve(change);
    valueOf(await s.updateAddon({ addonId: s.addonId, addRedirectUris: [uri('two')] }));
    expect(await approve(one)).toMatchObject({
      refusal: 'change-outdated',
      problems: [{ field: 'addRedirectUri[0]', message: 'is there already' }],
    });
    valueOf(await s.leave());
    expect(await approve(two)).toMatchObject({ refusal: 'author-not-a-member' });
  });

  test('is applied at once where no approval is required', async () => {
    const s = await scene();
    expect(valueOf(await s.propose('two', true)).change.state).toBe('approved');
    expect((await s.currentAddon(s.addonId))?.redirectUris).toEqual([uri('callback'), uri('two')]);
    expect(await s.propose('two', true)).toMatchObject({ refusal: 'change-invalid' });
  });
});

describe('FX-94: an approval names what was shown', () => {
  const shownOf = async (s: Awaited<ReturnType<typeof scene>>, changeId: string) => {
    const found = (await s.listAddonChanges(s.addonId))?.find((one) => one.changeId === changeId);
    if (!found) throw new Error('no such change');
    return found;
  };
  const proposedTwo = async () => {
    const s = await scene();
    const { change } = valueOf(await s.propose());
    return { ...s, change };
  };

  test('and is refused where the add-on has changed since in what it changes, and only then', async () => {
    const s = await proposedTwo();
    const before = await shownOf(s, s.change.changeId);
    expect(before).toMatchObject({
      differences: [
        { field: 'redirectUris', before: [uri('callback')], after: [uri('callback'), uri('two')] },
      ],
      decidedBy: null,
    });
    valueOf(await s.updateAddon({ addonId: s.addonId, addRedirectUris: ['https://evil.example/three'] }));
    const length = s.types().length;
    expect(await s.approve(before)).toMatchObject({ ok: false, refusal: 'changed-meanwhile' });
    for (const wrong of ['', 'x', before.revision.toUpperCase(), 'x'.repeat(10_240)])
      expect(await s.approve({ ...before, revision: wrong })).toMatchObject({ refusal: 'changed-meanwhile' });
    expect(s.types()).toHaveLength(length);
    const after = await shownOf(s, s.change.changeId);
    expect(after.revision).not.toBe(before.revision);
    valueOf(await s.addAddonSecret(s.addonId));
    valueOf(await s.propose('four'));
    valueOf(await s.updateAddon({ addonId: s.addonId, name: 'Gate Opener' }));
    valueOf(await s.approve(after));
  });

  test('and is refused where it changes between the check and the append', async () => {
    const { hooks, arm } = atAppend('beforeAppend');
    const s = await scene(hooks);
    const { change } = valueOf(await s.propose());
    arm(() => s.updateAddon({ addonId: s.addonId, addRedirectUris: ['https://evil.example/three'] }));
    expect(await s.approve(change)).toMatchObject({ refusal: 'changed-meanwhile' });
  });

  test('and stays what it was once it is decided, with who decided', async () => {
    const s = await proposedTwo();
    const { revision, differences } = await shownOf(s, s.change.changeId);
    const context = { traceparent: '', acting: { actor: s.bob, tokenId: null } };
    const done = { revision, differences, decidedBy: s.bob, state: 'approved' };
    expect(valueOf(await s.approve(s.change, s.bob, context)).change).toMatchObject(done);
    valueOf(await s.updateAddon({ addonId: s.addonId, removeRedirectUris: [uri('callback')] }));
    expect(await shownOf(s, s.change.changeId)).toMatchObject(done);
    const other = valueOf(await s.propose('three'));
    valueOf(
      await s.refuseAddonChange(
        { addonId: s.addonId, changeId: other.change.changeId, reason: 'no' },
        context,
      ),
    );
    expect(await shownOf(s, other.change.changeId)).toMatchObject({
      decidedBy: s.bob,
      differences: [{ before: [uri('two')], after: [uri('two'), uri('three')] }],
    });
  });

  test('and nobody is named where nobody had to approve it', async () => {
    const s = await scene();
    const context = { traceparent: '', acting: { actor: s.ada, tokenId: null } };
    const request = { ...s.own(), isFree: true, addRedirectUris: [uri('two')] };
    const { change } = valueOf(await s.proposeAddonChange(request, context));
    expect(await shownOf(s, change.changeId)).toMatchObject({ state: 'approved', decidedBy: null });
  });
});

describe('FX-92: a proposal', () => {
  const states = async (s: Awaited<ReturnType<typeof scene>>) =>
    (await s.listAddonChanges(s.addonId))?.map(({ state }) => state);

  test.each<[string, (s: Awaited<ReturnType<typeof scene>>) => Promise<unknown>]>([
    [
      'has left the publisher and comes back',
      async (s) => {
        valueOf(await s.leave());
        s.pass(1);
        valueOf(await s.addPublisherMember({ publisherId: s.publisherId, userId: s.ada }));
      },
    ],
    [
      'was disabled and is enabled again',
      async (s) => {
        valueOf(await s.disableUser({ userId: s.ada, force: false }));
        s.pass(1);
        valueOf(await s.enableUser(s.ada));
      },
    ],
  ])('ends when its author %s, and stays ended', async (_how, act) => {
    const s = await scene();
    const { change } = valueOf(await s.propose());
    s.pass(1);
    await act(s);
    s.pass(1);
    expect(await states(s)).toEqual(['withdrawn']);
    expect(await s.approve(change)).toMatchObject({ refusal: 'author-not-a-member' });
    const again = valueOf(await s.propose());
    expect(await states(s)).toEqual(['waiting', 'withdrawn']);
    expect(await s.approve(again.change)).toMatchObject({ ok: true });
  });

  test('is not shown to another publisher that gets the add-on, nor the reason that was given', async () => {
    const s = await scene();
    const [one, two] = [valueOf(await s.propose('two')), valueOf(await s.propose('three'))];
    const refused = { addonId: s.addonId, changeId: one.change.changeId, reason: 'you know why' };
    valueOf(await s.refuseAddonChange(refused));
    const seen = () => changesOf({ commands: s } as unknown as Services, s.addonId);
    expect((await seen()).map(({ reason }) => reason)).toEqual([null, 'you know why']);
    const { publisherId: next } = valueOf(await s.createPublisher({ name: 'Gates Ltd' }));
    valueOf(await s.updateAddon({ addonId: s.addonId, publisherId: next }));
    expect(await seen()).toEqual([]);
    expect(await states(s)).toEqual(['withdrawn', 'refused']);
    valueOf(await s.updateAddon({ addonId: s.addonId, publisherId: s.publisherId }));
    expect((await seen()).map(({ state }) => state)).toEqual(['withdrawn', 'refused']);
    expect(two.change.state).toBe('waiting');
  });

  test('comes to nothing for a retired add-on, which takes no secret and no stream either', async () => {
    const s = await scene();
    const { change } = valueOf(await s.propose());
    valueOf(await s.retireAddon({ addonId: s.addonId, by: 'break-glass', tokenId: null }));
    const length = s.types().length;
    const retired = { ok: false, refusal: 'addon-retired' };
    const { addonId } = s;
    for (const act of [
      () => s.addAddonSecret(addonId),
      () => s.addOwnAddonSecret(s.own()),
      () => s.propose('three'),
      () => s.propose('three', true),
      () => s.approve(change),
      () => s.updateAddon({ addonId, name: 'Gate' }),
      () => s.updateAddon({ addonId, publisherId: null }),
      () => s.createSignalStream({ addonId, caller: 'operator', configuration: polling }),
    ])
      expect(await act()).toMatchObject(retired);
    expect(s.types()).toHaveLength(length);
    expect(await states(s)).toEqual(['withdrawn']);
  });
});

describe('AP-10: a membership by claim', () => {
  const scene = async () => {
    const s = marketplace();
    const { publisherId } = valueOf(await s.createPublisher({ name: 'Doors Ltd' }));
    const signIn = async (publishers: readonly string[]) =>
      valueOf(
        await s.accountOfIdentity({
          provider: 'acme',
          issuer: 'https://id.acme.example',
          subject: 'ada',
          name: 'Ada',
          email: null,
          emailVerified: false,
          mapped: { administratorOf: [], roles: [], publishers },
        }),
      ).userId;
    return { ...s, publisherId, signIn };
  };

  test('follows each sign-in; what names no publisher is ignored, and a membership by hand stays', async () => {
    const s = await scene();
    const ada = await s.signIn([s.publisherId, nobody, 'x', '../']);
    const isMember = (byClaim?: boolean) => s.isPublisherMember(s.publisherId, ada, byClaim);
    expect([await isMember(), await isMember(false)]).toEqual([true, false]);
    expect(await s.removePublisherMember({ publisherId: s.publisherId, userId: ada })).toMatchObject({
      refusal: 'role-by-claim',
    });
    const before = s.types().length;
    await s.signIn([s.publisherId]);
    expect(s.types()).toHaveLength(before);
    valueOf(await s.addPublisherMember({ publisherId: s.publisherId, userId: ada }));
    await s.signIn([]);
    expect(await isMember(false)).toBe(true);
    valueOf(await s.removePublisherMember({ publisherId: s.publisherId, userId: ada }));
    expect(await isMember()).toBe(false);
  });

  test('counts for tokens only while the provider confirms it, and ends with the identity', async () => {
    const s = await scene();
    const ada = await s.signIn([s.publisherId]);
    const asked = { userId: ada, organizationId: null, name: 'program', days: 90, by: ada };
    const { token } = valueOf(await s.issueAdministratorToken(asked));
    expect(valueOf(await s.readAdministratorToken(token)).byClaim).toBe(true);
    s.pass(31 * 86_400_000);
    expect(valueOf(await s.readAdministratorToken(token)).byClaim).toBe(false);
    valueOf(await s.unlinkIdentity({ userId: ada, provider: 'acme' }));
    expect(await s.isPublisherMember(s.publisherId, ada)).toBe(false);
  });
});
