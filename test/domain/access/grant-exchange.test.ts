import { describe, expect, test } from 'vitest';
import {
  type Exchange,
  type ExchangeRefusal,
  exchangeCode,
} from '../../../src/domain/access/grant-exchange.ts';
import { type GrantEvent, grantDecider } from '../../../src/domain/access/grant.ts';
import { scenariosOf } from '../../support/memory/given.ts';
import {
  challenge,
  codeIssued,
  codeRedeemed,
  grantRevoked,
  lifetimes,
  seconds,
  t0,
  terms,
  tokensRefreshed,
  verifier,
} from '../../support/scenes/grants.ts';

const given = scenariosOf(grantDecider);
const soon = t0 + seconds(5);

const exchange: Exchange = {
  addonId: terms.addonId,
  redirectUri: terms.redirectUri,
  codeVerifier: verifier,
  resources: null,
  computedChallenge: challenge,
  keyId: 'k1',
  salt: 'salt0',
  now: soon,
  fence: null,
  withdrawn: null,
  lifetimes,
};
const exchanging =
  (changes: Partial<Exchange> = {}) =>
  (grant: Parameters<typeof exchangeCode>[0]) =>
    exchangeCode(grant, { ...exchange, ...changes });

const rejected = (reason: ExchangeRefusal, at = soon): GrantEvent => ({
  type: 'CodeExchangeRejected',
  data: { reason, at },
});
const replayed = (at: number): GrantEvent => ({ type: 'AuthorizationCodeReplayed', data: { at } });

/** What the shell computes from a verifier that is not the one. */
const wrongProof = { computedChallenge: 'A'.repeat(43) };

describe('a code', () => {
  test('is redeemed by the client that it was issued to', () => {
    given(codeIssued).when(exchanging()).accepted(codeRedeemed(soon));
  });

  test('that nobody issued is unknown', () => {
    given().when(exchanging()).refused('code-unknown');
  });

  test('TC-08: is good until the last millisecond and expired after it', () => {
    given(codeIssued)
      .when(exchanging({ now: terms.expiresAt - 1 }))
      .accepted(codeRedeemed(terms.expiresAt - 1));
    given(codeIssued)
      .when(exchanging({ now: terms.expiresAt }))
      .refused('code-expired');
  });

  test.each([
    ['token-revoked', 'grant-revoked'],
    ['addon-deactivated', 'addon-deactivated'],
    ['addon-suspended', 'addon-suspended'],
    ['account-disabled', 'account-disabled'],
  ] as const)('TC-15: is refused behind a fence that says %s', (fence, refusal) => {
    given(codeIssued).when(exchanging({ fence })).refused(refusal);
  });

  test('RT-13: no token outlives the absolute lifetime', () => {
    const short = { ...lifetimes, refreshAbsolute: seconds(60) };
    const { events } = exchanging({ lifetimes: short })(given(codeIssued).state);
    expect(events[0]?.data).toMatchObject({
      accessExpiresAt: soon + seconds(60),
      refreshIdleExpiresAt: soon + seconds(60),
      refreshAbsoluteExpiresAt: soon + seconds(60),
    });
  });
});

describe('a failed proof', () => {
  test('TC-07: of another client is refused and remembered', () => {
    given(codeIssued)
      .when(exchanging({ addonId: 'another' }))
      .refused('code-of-another-client', rejected('code-of-another-client'));
  });

  test.each([
    'https://addon.example/cb',
    'https://addon.example/cb?x=2',
    'https://addon.example/cb?x=1 ',
    '',
  ])('TC-06: of a redirect URI that differs in a byte (%s) is refused', (redirectUri) => {
    given(codeIssued)
      .when(exchanging({ redirectUri }))
      .refused('redirect-uri-mismatch', rejected('redirect-uri-mismatch'));
  });

  test('TC-06: of another loopback port than the one that was authorized is refused', () => {
    const at = (port: number) => `http://127.0.0.1:${port}/cb`;
    const loopback: GrantEvent = {
      type: 'AuthorizationCodeIssued',
      data: { ...terms, redirectUri: at(51_000) },
    };
    given(loopback)
      .when(exchanging({ redirectUri: at(51_001) }))
      .refused('redirect-uri-mismatch', rejected('redirect-uri-mismatch'));
  });

  test('TC-04: of a verifier that computes to another challenge is refused', () => {
    given(codeIssued)
      .when(exchanging(wrongProof))
      .refused('verifier-mismatch', rejected('verifier-mismatch'));
  });

  test.each(['a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(43)}+`, '', verifier.replace('-', ' ')])(
    'TC-03: of a verifier outside the grammar (%s) is refused even if its challenge is right',
    (codeVerifier) => {
      given(codeIssued)
        .when(exchanging({ codeVerifier }))
        .refused('verifier-mismatch', rejected('verifier-mismatch'));
    },
  );

  test('TC-05: nothing matches a code that was issued without a challenge', () => {
    const without: GrantEvent = {
      type: 'AuthorizationCodeIssued',
      data: { ...terms, codeChallenge: '' },
    };
    given(without)
      .when(exchanging({ computedChallenge: '' }))
      .refused('verifier-mismatch', rejected('verifier-mismatch'));
  });

  test('is refused in the order of the requirements: client, redirect URI, verifier, expiry, fence', () => {
    const everything = { ...wrongProof, addonId: 'another', redirectUri: 'other', now: terms.expiresAt };
    const at = terms.expiresAt;
    const all = { ...everything, fence: 'addon-deactivated' } as const;
    const { addonId, redirectUri } = terms;
    given(codeIssued)
      .when(exchanging(all))
      .refused('code-of-another-client', rejected('code-of-another-client', at));
    given(codeIssued)
      .when(exchanging({ ...all, addonId }))
      .refused('redirect-uri-mismatch', rejected('redirect-uri-mismatch', at));
    given(codeIssued)
      .when(exchanging({ ...all, addonId, redirectUri }))
      .refused('verifier-mismatch', rejected('verifier-mismatch', at));
    given(codeIssued)
      .when(exchanging({ now: at, fence: 'addon-deactivated' }))
      .refused('code-expired');
  });

  test('TC-13: does not consume the code, not even the second', () => {
    const twice = [rejected('verifier-mismatch'), rejected('verifier-mismatch')];
    given(codeIssued, ...twice)
      .when(exchanging())
      .accepted(codeRedeemed(soon));
  });

  test('TC-13: the third burns the code', () => {
    const burnt = grantRevoked('too-many-failed-proofs', soon);
    given(codeIssued, rejected('redirect-uri-mismatch'), rejected('verifier-mismatch'))
      .when(exchanging(wrongProof))
      .refused('verifier-mismatch', rejected('verifier-mismatch'), burnt);
    given(codeIssued, burnt).when(exchanging()).refused('grant-revoked');
  });
});

describe('a code that was redeemed', () => {
  const late = soon + seconds(1);

  test('TC-12: is refused to a duplicate within the second, without an end to the family', () => {
    given(codeIssued, codeRedeemed(soon))
      .when(exchanging({ salt: 'mine', now: late - 1 }))
      .refused('code-already-redeemed');
    given(codeIssued, codeRedeemed(soon))
      .when(exchanging({ salt: 'mine', now: soon - 20 }))
      .refused('code-already-redeemed');
  });

  test('TC-10, TC-12: ends the family when it is replayed later with every proof', () => {
    given(codeIssued, codeRedeemed(soon))
      .when(exchanging({ salt: 'mine', now: late }))
      .refused('code-already-redeemed', replayed(late), grantRevoked('code-replayed', late));
  });

  test('TC-10: ends the family even after the code has expired and the tokens were refreshed', () => {
    const muchLater = terms.expiresAt + seconds(600);
    given(codeIssued, codeRedeemed(soon), tokensRefreshed(1, muchLater - 1))
      .when(exchanging({ salt: 'mine', now: muchLater }))
      .refused('code-already-redeemed', replayed(muchLater), grantRevoked('code-replayed', muchLater));
  });

  test('TC-11: survives a replay that fails its proof, which is remembered', () => {
    given(codeIssued, codeRedeemed(soon))
      .when(exchanging({ ...wrongProof, now: late }))
      .refused('verifier-mismatch', rejected('verifier-mismatch', late));
  });

  test('TC-11: remembers only so many failed proofs, however often they come', () => {
    const tenth = Array.from({ length: 10 }, () => rejected('verifier-mismatch'));
    given(codeIssued, codeRedeemed(soon), ...tenth)
      .when(exchanging(wrongProof))
      .refused('verifier-mismatch');
  });

  test('TC-14: is answered again only to the request whose redemption it was', () => {
    given(codeIssued, codeRedeemed(soon, 'mine'))
      .when(exchanging({ salt: 'mine', now: late }))
      .accepted();
  });

  test('is refused once the grant is revoked, and nothing more is remembered', () => {
    given(codeIssued, codeRedeemed(soon), grantRevoked('addon-deactivated', soon))
      .when(exchanging({ salt: 'mine', now: late }))
      .refused('grant-revoked');
  });
});
