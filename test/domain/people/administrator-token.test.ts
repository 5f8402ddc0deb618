import { describe, expect, test } from 'vitest';
import {
  administratorTokenDecider,
  type AdministratorToken,
  type AdministratorTokenEvent,
  type AdministratorTokens,
  daysProblem,
  issueAdministratorToken,
  livingTokens,
  revokeAdministratorToken,
  tokensADay,
  tokensAllowed,
} from '../../../src/domain/people/administrator-token.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(administratorTokenDecider);

const tokenOf = (tokenId: string, change: Partial<AdministratorToken> = {}): AdministratorToken => ({
  tokenId,
  organizationId: 'org',
  name: `name of ${tokenId}`,
  keyId: 'k1',
  salt: 'salt',
  madeBy: { actor: 'user', tokenId: null },
  issuedAt: 10,
  expiresAt: 1_000,
  ...change,
});
const issued = (token: AdministratorToken): AdministratorTokenEvent => {
  const { issuedAt: at, ...rest } = token;
  return { type: 'AdministratorTokenIssued', data: { userId: 'ada', ...rest, at } };
};
const revoked = (tokenId: string, at = 50): AdministratorTokenEvent => ({
  type: 'AdministratorTokenRevoked',
  data: { tokenId, at },
});

const issuing =
  (token: AdministratorToken, ...ended: readonly string[]) =>
  (tokens: AdministratorTokens) =>
    issueAdministratorToken(tokens, { userId: 'ada', token, ended: new Set(ended) });
const revoking =
  (tokenId: string, { now = 50, ended = [] as readonly string[] } = {}) =>
  (tokens: AdministratorTokens) =>
    revokeAdministratorToken(tokens, { tokenId, now, ended: new Set(ended) });
const idsAt = (tokens: AdministratorTokens, now: number, ...ended: readonly string[]) =>
  livingTokens(tokens, { now, ended: new Set(ended) }).map(({ tokenId }) => tokenId);

describe('AC-04: the administrator tokens of a user', () => {
  test('one is issued; issuing the very same again changes nothing', () => {
    const token = tokenOf('t1');
    given().when(issuing(token)).accepted(issued(token));
    given(issued(token)).when(issuing(token)).accepted();
  });

  test('one lives from its issue to the moment before it expires', () => {
    const { state } = given(issued(tokenOf('t1')));
    expect(state.tokens).toEqual([tokenOf('t1')]);
    expect(idsAt(state, 999)).toEqual(['t1']);
    expect(idsAt(state, 1_000)).toEqual([]);
  });

  test('disabling the account permanently ends those from before it; a later one lives', () => {
    const { state } = given(issued(tokenOf('t1')), issued(tokenOf('t2', { issuedAt: 21 })));
    expect(idsAt(state, 30, 't1')).toEqual(['t2']);
    expect(idsAt(state, 30, 't1', 't2')).toEqual([]);
  });

  test('revoking ends one, once, and leaves the others', () => {
    const both = [issued(tokenOf('t1')), issued(tokenOf('t2'))];
    given(...both)
      .when(revoking('t1'))
      .accepted(revoked('t1'));
    given(...both, revoked('t1'))
      .when(revoking('t1'))
      .refused('token-unknown');
    expect(idsAt(given(...both, revoked('t1')).state, 60)).toEqual(['t2']);
  });

  test('what has expired or was ended with the account is not there to be revoked', () => {
    given(issued(tokenOf('t1')))
      .when(revoking('t1', { now: 1_000 }))
      .refused('token-unknown');
    given(issued(tokenOf('t1')))
      .when(revoking('t1', { ended: ['t1'] }))
      .refused('token-unknown');
    given().when(revoking('t1')).refused('token-unknown');
  });

  test('two living ones never have the same name; that of an ended one is free', () => {
    const again = tokenOf('t2', { name: 'name of t1', issuedAt: 60, expiresAt: 2_000 });
    given(issued(tokenOf('t1')))
      .when(issuing(again))
      .refused('name-taken');
    given(issued(tokenOf('t1')), revoked('t1'))
      .when(issuing(again))
      .accepted(issued(again));
    given(issued(tokenOf('t1')))
      .when(issuing(again, 't1'))
      .accepted(issued(again));
    const later = { ...again, issuedAt: 1_000 };
    given(issued(tokenOf('t1')))
      .when(issuing(later))
      .accepted(issued(later));
  });

  test('there are only so many at once; one that has ended makes room', () => {
    const all = Array.from({ length: tokensAllowed }, (_, index) => issued(tokenOf(`t${index}`)));
    const more = tokenOf('more');
    given(...all)
      .when(issuing(more))
      .refused('too-many-tokens');
    given(...all.slice(1))
      .when(issuing(more))
      .accepted(issued(more));
    given(...all, revoked('t3'))
      .when(issuing(more))
      .accepted(issued(more));
    const later = tokenOf('more', { issuedAt: 1_000, expiresAt: 2_000 });
    given(...all)
      .when(issuing(later))
      .accepted(issued(later));
  });

  test('only so many are made within a day, however soon each is revoked: nobody fills the stream by asking', () => {
    const dayLength = 86_400_000;
    const at = (issuedAt: number) => tokenOf(`t${issuedAt}`, { issuedAt, expiresAt: 10 * dayLength });
    const madeAndRevoked = Array.from({ length: tokensADay }, (_, issuedAt) => [
      issued(at(issuedAt)),
      revoked(`t${issuedAt}`),
    ]).flat();
    given(...madeAndRevoked)
      .when(issuing(at(dayLength - 1)))
      .refused('too-many-tokens-today');
    given(...madeAndRevoked)
      .when(issuing(at(dayLength)))
      .accepted(issued(at(dayLength)));
    given(...madeAndRevoked.slice(2))
      .when(issuing(at(dayLength - 1)))
      .accepted(issued(at(dayLength - 1)));
  });

  test('the state holds no more than those that may live, and the times of a day, however many there were', () => {
    const hour = 3_600_000;
    const many = Array.from({ length: 500 }, (_, index) =>
      issued(tokenOf(`t${index}`, { issuedAt: index * hour, expiresAt: (index + 1.5) * hour })),
    );
    const { tokens, recentlyIssued } = given(...many).state;
    expect(tokens).toHaveLength(2);
    expect(recentlyIssued).toHaveLength(24);
  });

  test('a lifetime is whole days, from one to a year', () => {
    for (const days of [1, 30, 365]) expect(daysProblem(days)).toBeNull();
    for (const days of [0, -1, 1.5, 366, Number.NaN, Infinity])
      expect(daysProblem(days)).toBe('must be a whole number from 1 to 365');
  });
});
