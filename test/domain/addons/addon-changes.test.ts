import { describe, expect, test } from 'vitest';
import {
  addonDecider,
  type AddonEvent,
  type AddonState,
  type ProposedChange,
} from '../../../src/domain/addons/addon.ts';
import {
  approveChange,
  changeProblems,
  differencesIn,
  followPublisher,
  mostWaiting,
  refuseChange,
  requestChange,
  setPublisher,
  withdrawChange,
} from '../../../src/domain/addons/addon-changes.ts';
import { emptyChange, updateProblems } from '../../../src/domain/addons/addon-update.ts';
import { registered, updated } from './addon-events.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(addonDecider);
const [first, second] = ['https://doors.example/callback', 'https://doors.example/two'] as const;

const bound: AddonEvent = { type: 'AddonPublisherSet', data: { publisherId: 'P', at: 2 } };
const addsSecond: ProposedChange = { ...emptyChange, addRedirectUris: [second] };
const requested = (changeId = 'C', change = addsSecond): AddonEvent => ({
  type: 'AddonChangeRequested',
  data: { changeId, by: 'ada', ...change, at: 3 },
});
const approved: AddonEvent = { type: 'AddonChangeApproved', data: { changeId: 'C', at: 4 } };
const withdrawn = (changeId = 'C'): AddonEvent => ({
  type: 'AddonChangeWithdrawn',
  data: { changeId, at: 4 },
});
const retired: AddonEvent = { type: 'AddonRetired', data: { at: 4 } };

const requesting =
  (change = addsSecond, changeId = 'C') =>
  (addon: AddonState) =>
    requestChange(addon, { changeId, by: 'ada', change, now: 3 });
const approving =
  ({ isOwn = false, isByMember = true } = {}) =>
  (addon: AddonState) =>
    approveChange(addon, { ...shown, isOwn, endedAt: () => (isByMember ? null : 3), now: 4 });
const shown = { changeId: 'C', isAsShown: () => true };

describe('AP-10: a proposed change', () => {
  test('waits, and is applied by its approval in the same append', () => {
    given(registered, bound).when(requesting()).accepted(requested());
    given(registered, bound, requested()).when(requesting()).accepted();
    given(registered, bound, requested())
      .when(approving())
      .accepted(updated({ redirectUris: [first, second] }), approved);
    given(registered, bound, requested())
      .when((addon) => refuseChange(addon, { changeId: 'C', reason: 'no', now: 4 }))
      .accepted({ type: 'AddonChangeRefused', data: { changeId: 'C', reason: 'no', at: 4 } });
    given(registered, bound, requested())
      .when((addon) => withdrawChange(addon, { changeId: 'C', now: 4 }))
      .accepted(withdrawn());
  });

  test('is decided once, and never approved by its author or for one who has left', () => {
    given(registered, bound, requested())
      .when(approving({ isOwn: true }))
      .refused('own-change');
    given(registered, bound, requested())
      .when(approving({ isByMember: false }))
      .refused('author-not-a-member');
    given(registered, bound).when(approving()).refused('change-unknown');
    for (const decided of [approved, withdrawn()])
      given(registered, bound, requested(), decided).when(approving()).refused('change-decided');
    given(registered, bound, requested(), approved)
      .when((addon) => refuseChange(addon, { changeId: 'C', reason: null, now: 4 }))
      .refused('change-decided');
  });

  test('has to fit when it is proposed, and when it is approved', () => {
    given(registered, bound).when(requesting(emptyChange)).refused('change-empty');
    const isThere = { ...emptyChange, addRedirectUris: [first] };
    given(registered, bound).when(requesting(isThere)).refused('change-invalid');
    expect(changeProblems(given(registered).state, isThere)).toEqual([
      { field: 'addRedirectUri[0]', message: 'is there already' },
    ]);
    const meanwhile = updated({ redirectUris: [first, second] });
    given(registered, bound, requested(), meanwhile).when(approving()).refused('change-outdated');
    given(registered, bound, requested(), retired).when(approving()).refused('addon-retired');
    given(registered, bound, retired).when(requesting()).refused('addon-retired');
    given().when(requesting()).refused('addon-unknown');
  });

  test(`is one of ${mostWaiting} that wait at most; of those that are decided, the newest stay known`, () => {
    const many = (most: number) => Array.from({ length: most }, (_, index) => requested(`C${index}`));
    given(registered, bound, ...many(mostWaiting))
      .when(requesting())
      .refused('too-many-changes');
    const decided = many(150).flatMap((event, index) => [event, withdrawn(`C${index}`)]);
    const { state } = given(registered, bound, ...decided, requested());
    expect(state.status !== 'unregistered' && state.changes.map(({ changeId }) => changeId)).toEqual([
      ...Array.from({ length: 101 }, (_, index) => `C${index + 49}`).slice(1),
      'C',
    ]);
  });
});

describe('FX-94: what a change would change', () => {
  const differences = (change: Partial<ProposedChange>, ...more: readonly AddonEvent[]) =>
    differencesIn(given(registered, bound, ...more).state, { ...emptyChange, ...change });

  test('is each field before and after, with the addresses whose host is new there', () => {
    const elsewhere = 'https://evil.example/callback';
    const change = {
      addRedirectUris: [second, elsewhere, 'com.example.doors:/cb'],
      removeRedirectUris: [first],
      website: 'https://doors.example/',
    };
    expect(differences(change)).toEqual([
      {
        field: 'redirectUris',
        before: [first],
        after: [second, elsewhere, 'com.example.doors:/cb'],
        withNewHost: [elsewhere, 'com.example.doors:/cb'],
      },
      {
        field: 'website',
        before: [],
        after: ['https://doors.example/'],
        withNewHost: ['https://doors.example/'],
      },
    ]);
  });

  test('marks no host that is only spelled differently, and each port as a host of its own', () => {
    const added = [
      'https://DOORS.example/two',
      'https://doors.example:8443/',
      'https://doors.example.evil.example/',
    ];
    expect(differences({ addRedirectUris: added })).toMatchObject([{ withNewHost: added.slice(1) }]);
  });

  test('marks a known host under the scheme of another app, and what is no host to a browser', () => {
    const added = ['com.evil.app://doors.example/callback', 'https://xn--.example/callback'];
    const change = { ...emptyChange, addRedirectUris: added };
    expect(changeProblems(given(registered, bound).state, change)).toEqual([]);
    expect(differences(change)).toMatchObject([{ withNewHost: added }]);
    const known = updated({ redirectUris: [first, ...added] });
    const more = ['com.evil.app://doors.example/two', 'https://xn--.example/two', 'com.evil.app:/three'];
    expect(differences({ addRedirectUris: more }, known)).toMatchObject([{ withNewHost: [] }]);
  });

  test('is nothing where the add-on is so already', () => {
    expect(differences({ addRedirectUris: [second] }, updated({ redirectUris: [first, second] }))).toEqual(
      [],
    );
  });

  test('is approved only as it was shown', () => {
    const approve = (addon: AddonState) =>
      approveChange(addon, {
        changeId: 'C',
        isAsShown: () => false,
        isOwn: false,
        endedAt: () => null,
        now: 4,
      });
    given(registered, bound, requested()).when(approve).refused('changed-meanwhile');
    given(registered, bound, requested(), approved).when(approve).refused('change-decided');
  });
});

describe('AP-10: the publisher of an add-on', () => {
  const setting = (publisherId: string | null, name: string | null) => (addon: AddonState) =>
    setPublisher(addon, { publisherId, name, now: 4 });
  const set = (publisherId: string | null): AddonEvent => ({
    type: 'AddonPublisherSet',
    data: { publisherId, at: 4 },
  });

  test('gives it its name, and takes what members of the one before proposed', () => {
    given(registered)
      .when(setting('P', 'Doors Ltd'))
      .accepted(set('P'), updated({ publisher: 'Doors Ltd' }));
    const named = updated({ publisher: 'Doors Ltd' });
    given(registered, bound, named).when(setting('P', 'Doors Ltd')).accepted();
    given(registered, bound, named, requested())
      .when(setting('Q', 'Gates'))
      .accepted(withdrawn(), set('Q'), updated({ publisher: 'Gates' }));
    given(registered, bound, named).when(setting(null, null)).accepted(set(null));
    given(registered, retired).when(setting('P', 'Doors Ltd')).refused('addon-retired');
  });

  test('is followed by name only while it is the publisher, and no other name is taken', () => {
    const following = (publisherId: string) => (addon: AddonState) =>
      followPublisher(addon, { publisherId, name: 'Gates', now: 4 });
    given(registered, bound)
      .when(following('P'))
      .accepted(updated({ publisher: 'Gates' }));
    given(registered, bound).when(following('Q')).accepted();
    given(registered, bound, retired).when(following('P')).accepted();
    const { state } = given(registered, bound);
    const update = {
      ...emptyChange,
      name: null,
      scopes: null,
      redirectUris: null,
      postLogoutRedirectUris: null,
      allowedAudiences: null,
      audiences: null,
      unset: [],
      addAudiences: [],
      removeAudiences: [],
      logo: null,
      publisher: 'Mine',
    };
    expect(updateProblems(state, update)).toMatchObject([{ field: 'publisher' }]);
  });
});

test.each(Object.keys(emptyChange) as (keyof ProposedChange)[])(
  'AP-10: an operator sees what a proposal of %s changes',
  (field) => {
    const uri = 'https://doors.example/new';
    const isList = Array.isArray(emptyChange[field]);
    const listed = { redirectUris: [first, uri], postLogoutRedirectUris: [uri] };
    const before: AddonEvent = { ...registered, data: { ...registered.data, ...listed } };
    const addon = addonDecider.evolve(addonDecider.initial, field.startsWith('remove') ? before : registered);
    const change = { ...emptyChange, [field]: isList ? [uri] : uri };
    expect(differencesIn(addon, change)).toHaveLength(1);
  },
);
