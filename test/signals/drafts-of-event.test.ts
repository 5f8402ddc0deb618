import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { grantRevocationReasons } from '../../src/domain/access/events.ts';
import { type DomainEvent, eventDescriptions, type EventType } from '../../src/domain/events.ts';
import type { StreamName } from '../../src/domain/streams.ts';
import { eventSchemas } from '../../src/eventstore/codec/codec.ts';
import type { EventMetadata, RecordedEvent } from '../../src/eventstore/event-store.ts';
import { draftsOf } from '../../src/signals/projection.ts';
import { streamTypes, supportedTypes } from '../../src/signals/set-types.ts';
import { tellingTypes } from '../../src/signals/sets-of-event.ts';
import type { Past } from '../../src/domain/signals/notice.ts';
import { dataOf, text, tracesOf } from '../kafka/contract/event-arbitraries.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { webAddresses } from '../../src/domain/addons/web-addresses.ts';

const issuer = 'https://grantbook.example';
const at = 1_795_168_800_130;
const seconds = 1_795_168_800;
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

const past: Past = {
  grant: (grantId) =>
    ({
      G1: { addonId: 'A1', organizationId: 'O1', userId: 'U1' },
      G2: { addonId: 'A1', organizationId: null, userId: 'U1' },
    })[grantId] ?? null,
  holders: (userId) =>
    userId === 'U1'
      ? [
          { addonId: 'A1', own: true },
          { addonId: 'A2', own: false },
        ]
      : [],
};

const recorded = (stream: string, event: DomainEvent, metadata: EventMetadata = {}): RecordedEvent => ({
  id: '0b5b2f0e-7f5e-4c8a-9d53-6a6f3a1f2c11',
  stream: stream as StreamName,
  revision: 3n,
  position: { commit: 88_120n, prepare: 88_119n },
  created: at,
  event,
  metadata: { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, ...metadata },
});
const told = (stream: string, event: DomainEvent, metadata: EventMetadata = {}) =>
  draftsOf(recorded(stream, event, metadata), past, issuer).map(
    ({ addonId, queue, type, subId, payload }) => ({ addonId, queue, type, subId, payload }),
  );

const caep = 'https://schemas.openid.net/secevent/caep/event-type';
const risc = 'https://schemas.openid.net/secevent/risc/event-type';
const oauth = 'https://schemas.openid.net/secevent/oauth/event-type';
const user = { format: 'iss_sub', iss: issuer, sub: 'U1' };
const grant = (id: string) => ({ format: `${issuer}/signals/formats/grant`, iss: issuer, grant_id: id });
const activation = {
  format: 'complex',
  tenant: { format: 'opaque', id: 'O1' },
  application: { format: 'opaque', id: 'A1' },
};
const ours = {
  event_timestamp: seconds,
  position: '88120/88119',
  reason: expect.stringMatching(/./) as string,
};

test.each(['AddonActivated', 'AddonDeactivated'] as const)(
  'SG-05: %s notifies with organization, epoch, position and reason',
  (type) => {
    const data = { organizationId: 'O1', addonId: 'A1', epoch: 4, by: 'U9', at };
    expect(told('activation-O1.A1', { type, data })).toEqual([
      {
        addonId: 'A1',
        queue: 'organization:O1',
        type: `${issuer}/signals/${type === 'AddonActivated' ? 'addon-activated' : 'addon-deactivated'}`,
        subId: activation,
        payload: { ...ours, organization_id: 'O1', epoch: 4 },
      },
    ]);
  },
);

describe('SG-05: what ends the access of a user', () => {
  const sessionRevoked = (addonId: string, by: string) => ({
    addonId,
    queue: 'user:U1',
    type: `${caep}/session-revoked`,
    subId: user,
    payload: {
      event_timestamp: seconds,
      initiating_entity: by,
      reason_admin: { en: expect.stringMatching(/./) as string },
    },
  });
  const risky = (addonId: string, name: string) => ({
    addonId,
    queue: 'user:U1',
    type: `${risc}/${name}`,
    subId: user,
    payload: {},
  });

  test('the consent for the own records is withdrawn', () => {
    const data = { userId: 'U1', addonId: 'A1', epoch: 1, at };
    expect(told('consent-U1.A1', { type: 'ConsentWithdrawn', data }, { actor: 'U1' })).toEqual([
      sessionRevoked('A1', 'user'),
      {
        addonId: 'A1',
        queue: 'user:U1',
        type: `${issuer}/signals/approval-changed`,
        subId: user,
        payload: { ...ours, change: 'withdrawn', scopes: [] },
      },
    ]);
  });

  test('an add-on that never had an own grant, and an approval for an organization, end nothing', () => {
    const types = (stream: string, addonId: string) =>
      told(stream, { type: 'ConsentWithdrawn', data: { userId: 'U1', addonId, epoch: 1, at } }).map(
        ({ type, queue }) => [type, queue],
      );
    expect(types('consent-U1.A2', 'A2')).toEqual([[`${issuer}/signals/approval-changed`, 'user:U1']]);
    expect(types('consent-O1.A1', 'A1')).toEqual([[`${issuer}/signals/approval-changed`, 'organization:O1']]);
  });

  test('RISC events go to every add-on that ever held a grant of the user, and to no other', () => {
    expect(told('account-U1', { type: 'AccountDisabled', data: { epoch: 1, at } }, { actor: 'U7' })).toEqual([
      risky('A1', 'account-disabled'),
      risky('A2', 'account-disabled'),
      sessionRevoked('A1', 'admin'),
      sessionRevoked('A2', 'admin'),
    ]);
    expect(told('account-U1', { type: 'AccountEnabled', data: { epoch: 1, at } })).toEqual([
      risky('A1', 'account-enabled'),
      risky('A2', 'account-enabled'),
    ]);
    expect(told('account-U1', { type: 'AccountErased', data: { at } })).toEqual([
      risky('A1', 'account-purged'),
      risky('A2', 'account-purged'),
    ]);
    expect(told('account-U2', { type: 'AccountErased', data: { at } })).toEqual([]);
  });
});

describe('SG-05: how add-ons are notified of the end of a grant', () => {
  const revoked = (reason: (typeof grantRevocationReasons)[number], id = 'G1') =>
    told(`grant-${id}`, { type: 'GrantRevoked', data: { reason, at } });

  test.each(grantRevocationReasons.filter((reason) => !reason.startsWith('addon-')))(
    'all its tokens, because of %s',
    (reason) => {
      expect(revoked(reason)).toEqual([
        {
          addonId: 'A1',
          queue: 'organization:O1',
          type: `${oauth}/tokens-revoked`,
          subId: grant('G1'),
          payload: { event_timestamp: seconds, reason },
        },
      ]);
    },
  );

  test('by the deactivation or the retirement alone', () => {
    expect([revoked('addon-deactivated'), revoked('addon-retired')]).toEqual([[], []]);
  });

  test('an own grant is in the queue of its user; of one that was never redeemed nobody is notified', () => {
    expect(revoked('consent-withdrawn', 'G2')).toMatchObject([{ queue: 'user:U1', subId: grant('G2') }]);
    expect(revoked('too-many-failed-proofs', 'G3')).toEqual([]);
  });

  test('one access token is named as introspection names it', () => {
    const event = { type: 'AccessTokenRevoked', data: { rotation: 2, at } } as const;
    expect(told('grant-G1', event)).toEqual([
      {
        addonId: 'A1',
        queue: 'organization:O1',
        type: `${oauth}/token-revoked`,
        subId: grant('G1'),
        payload: { event_timestamp: seconds, token_type: 'access_token', jti: 'access.G1.2' },
      },
    ]);
  });
});

test('SG-05: stream-updated notifies where we, not the receiver, change the status', () => {
  const changed = (by: 'receiver' | 'transmitter', reason: string | null) =>
    told('signalStream-A1', {
      type: 'SignalStreamStatusChanged',
      data: { streamId: 'S1', status: 'paused', reason, by, at },
    });
  const one = {
    addonId: 'A1',
    queue: 'stream',
    type: 'https://schemas.openid.net/secevent/ssf/event-type/stream-updated',
    subId: { format: 'opaque', id: 'S1' },
  };
  expect(changed('transmitter', 'no answer')).toEqual([
    { ...one, payload: { status: 'paused', reason: 'no answer' } },
  ]);
  expect(changed('transmitter', null)).toEqual([{ ...one, payload: { status: 'paused' } }]);
  expect(changed('receiver', 'maintenance')).toEqual([]);
});

test('SG-05: add-ons are notified of what an operator does by ids and names of fields', () => {
  const nothing = Object.fromEntries(
    ['configurationUrl', 'postLogoutRedirectUris', 'publisher', ...webAddresses, 'logo'].map((field) => [
      field,
      null,
    ]),
  );
  const changed = {
    ...nothing,
    name: 'Door Opener',
    redirectUris: ['https://a.example'],
    allowedScopes: [],
    at,
  };
  const events = [
    { type: 'AddonSuspended', data: { at } },
    { type: 'AddonResumed', data: { at } },
    { type: 'AddonSecretAdded', data: { secretId: 'S1', digest: 'never', at } },
    { type: 'AddonSecretRemoved', data: { secretId: 'S1', at } },
    { type: 'AddonUpdated', data: changed },
    { type: 'AddonAudienceAllowed', data: { audience: 'https://rs.example', at } },
    { type: 'AddonAudienceDisallowed', data: { audience: 'https://rs.example', at } },
    { type: 'AddonRetired', data: { at } },
  ] as unknown as readonly DomainEvent[];
  const [about, queue] = [{ format: 'opaque', id: 'A1' }, 'addon'];
  const one = (name: string, payload: object) => [
    {
      addonId: 'A1',
      queue,
      type: `${issuer}/signals/${name}`,
      subId: about,
      payload: { ...ours, ...payload },
    },
  ];
  expect(events.map((event) => told('addon-A1', event))).toEqual([
    one('addon-suspended', {}),
    one('addon-resumed', {}),
    one('secret-rotated', { change: 'added', secret_id: 'S1' }),
    one('secret-rotated', { change: 'removed', secret_id: 'S1' }),
    one('registration-changed', { changed: ['name', 'redirect_uris', 'allowed_scopes'] }),
    one('registration-changed', { changed: ['allowed_audiences'] }),
    one('registration-changed', { changed: ['allowed_audiences'] }),
    one('registration-changed', { changed: ['retired'] }),
  ]);
});

test('SG-04: jti is of the event, the type, the subject and the add-on; txn is the trace, or the event', () => {
  const event = { type: 'AccountDisabled', data: { epoch: 1, at } } as const;
  const drafts = draftsOf(recorded('account-U1', event), past, issuer);
  const again = draftsOf(recorded('account-U1', event), past, issuer);
  expect(again).toEqual(drafts);
  expect(new Set(drafts.map(({ jti }) => jti)).size).toBe(4);
  expect(drafts.map(({ part, txn }) => [part, txn])).toEqual([0, 1, 2, 3].map((part) => [part, traceId]));
  const { traceparent: _, ...older } = recorded('account-U1', event).metadata;
  const [untraced] = draftsOf({ ...recorded('account-U1', event), metadata: older }, past, issuer);
  expect(untraced?.txn).toBe(recorded('account-U1', event).id);
});

const everyType = Object.keys(eventSchemas) as EventType[];

/** Of a told event, everything that is in a SET is one of these fields of it, or is ours. */
const idsAndFacts =
  /^(organizationId|addonId|userId|secretId|streamId|status|scopes|audience|unset|reason|epoch|rotation|at)$/;

test.each(everyType)('SG-04: %s is decided, and of what it holds only ids and facts are sent', (type) => {
  expect(eventDescriptions[type].notices).toBeDefined();
  fc.assert(
    fc.property(dataOf(type), text, (data, id) => {
      const stream = `${type.startsWith('Account') ? 'account-U1' : `consent-${id}.A1`}`;
      const drafts = draftsOf(
        recorded(stream, { type, data } as unknown as DomainEvent, { actor: 'SENTINEL' }),
        { ...past, grant: () => past.grant('G1') },
        issuer,
      );
      const whole = JSON.stringify(drafts.map((draft) => ({ ...draft, position: null })));
      const held = Object.entries(data).flatMap(([field, value]) =>
        idsAndFacts.test(field) ? [] : tracesOf(value),
      );
      expect(held.filter((trace) => trace.length > 3 && whole.includes(trace))).toEqual([]);
      expect(whole).not.toContain('SENTINEL');
      const known = [...supportedTypes(issuer), streamTypes.streamUpdated];
      expect(drafts.every((draft) => known.includes(draft.type))).toBe(true);
      expect(drafts.length === 0 || tellingTypes.includes(type)).toBe(true);
    }),
    propertyRuns(20),
  );
});
