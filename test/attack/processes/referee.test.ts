import { describe, expect, test } from 'vitest';
import { bearerKinds, type Call, type EpochEnd, type RoundHistory } from './history.ts';
import { judgeIssuance, judgeLedger } from './ledger.ts';
import { epochKey, issuanceKey } from './log-watch.ts';
import { judgeRound } from './referee.ts';

/** Active since 100, the deactivation is sent at 200 and answered at 210. */
const ended: EpochEnd = { began: 200, answered: 210, marker: { commit: 50n, prepare: 50n } };

const call = (changes: Partial<Call>): Call => ({
  kind: 'list',
  place: 0,
  epoch: 3,
  began: 150,
  answered: 160,
  status: 200,
  accepted: true,
  issued: null,
  ...changes,
});

const allWorked = ([...bearerKinds, 'exchange', 'refresh'] as const).map((kind) => call({ kind }));

const round = (calls: readonly Call[], changes: Partial<RoundHistory> = {}): RoundHistory => ({
  epoch: 3,
  activated: 100,
  ends: new Map([
    [2, { began: 80, answered: 90, marker: null }],
    [3, ended],
  ]),
  calls: [...allWorked, ...calls],
  adminCalls: [{ kind: 'deactivate', place: 0, status: 200, epoch: 3 }],
  excuses: { unavailable: false, lostAt: null },
  ...changes,
});

const rulesOf = (history: RoundHistory) => judgeRound(history).map(({ rule }) => rule);

describe('the referee of a round', () => {
  test('has nothing to say about a round in which all is well', () => {
    const refused = { status: 401, accepted: false };
    const inactive = call({ kind: 'introspect', began: 220, answered: 230, accepted: false });
    expect(rulesOf(round([call({ began: 220, answered: 230, ...refused }), inactive]))).toEqual([]);
  });

  test.each(bearerKinds)('DE-02: sees a %s that is accepted too late', (kind) => {
    expect(rulesOf(round([call({ kind, began: 210.001, answered: 211 })]))).toEqual(['P1']);
  });

  test.each(['exchange', 'refresh'] as const)(
    'DE-03: sees a pair of an %s that is answered too late',
    (kind) => {
      expect(rulesOf(round([call({ kind, began: 211, answered: 212 })]))).toEqual(['P2']);
    },
  );

  test('lets pass what began before the answer, however late it was answered', () => {
    expect(
      rulesOf(round([call({ began: 209, answered: 500 }), call({ began: 210, answered: 211 })])),
    ).toEqual([]);
  });

  test('DE-02: sees a token of an earlier epoch that works after a re-activation', () => {
    expect(rulesOf(round([call({ epoch: 2, began: 150, answered: 160 })]))).toEqual(['P1']);
  });

  test('says nothing about an epoch whose end was not answered', () => {
    const ends = new Map([[3, { began: 200, answered: null, marker: null }]]);
    expect(rulesOf(round([call({ began: 300, answered: 310 })], { ends }))).toEqual([]);
  });

  test('sees a refusal while the add-on was active, but not one during the deactivation', () => {
    const refused = { status: 400, accepted: false, kind: 'refresh' } as const;
    const beside = call({ ...refused, began: 190, answered: 201 });
    expect(rulesOf(round([call({ ...refused, began: 150, answered: 199 }), beside]))).toEqual(['refused']);
  });

  test('sees an introspection that calls a living token inactive', () => {
    expect(rulesOf(round([call({ kind: 'introspect', accepted: false })]))).toEqual(['refused']);
  });

  test('sees that a kind of request never worked', () => {
    const calls = allWorked.filter(({ kind }) => kind !== 'userinfo');
    expect(rulesOf({ ...round([]), calls })).toEqual(['useless']);
  });

  test.each([500, 502, 503, null])('sees the answer %s, unless the fault excuses it', (status) => {
    const failed = call({ status, accepted: false, began: 205, answered: 206 });
    expect(rulesOf(round([failed]))).toEqual(['failure']);
    const excused = status === 503 || status === null;
    expect(rulesOf(round([failed], { excuses: { unavailable: true, lostAt: 0 } }))).toEqual(
      excused ? [] : ['failure'],
    );
  });

  test('excuses a lost answer only of the instance that was killed', () => {
    const excuses = { unavailable: true, lostAt: 0 } as const;
    const lost = call({ status: null, accepted: false, place: 1, began: 205, answered: 206 });
    expect(rulesOf(round([lost], { excuses }))).toEqual(['failure']);
  });

  test.each([
    ['deactivate', 200, 4, 'receipt'],
    ['activate', 200, 3, 'receipt'],
    ['deactivate', 409, null, 'failure'],
  ] as const)(
    'sees an administrator whose %s is answered with %s and epoch %s',
    (kind, status, epoch, rule) => {
      expect(rulesOf(round([], { adminCalls: [{ kind, place: 1, status, epoch }] }))).toEqual([rule]);
    },
  );
});

describe('the referee of the log', () => {
  const issued = { grantId: 'g', rotation: 2 };
  const refresh = call({ kind: 'refresh', began: 195, answered: 400, issued });
  const ends = new Map([[3, ended]]);
  const at = (commit: bigint) => new Map([[issuanceKey('g', 2), { commit, prepare: commit }]]);

  test('DE-03: sees an answered pair whose event follows the answer of the deactivation', () => {
    expect(judgeIssuance(refresh, ends, { issuances: at(51n) }).map(({ rule }) => rule)).toEqual(['P2']);
    expect(judgeIssuance(refresh, ends, { issuances: at(49n) })).toEqual([]);
    expect(judgeIssuance({ ...refresh, accepted: false }, ends, { issuances: at(51n) })).toEqual([]);
  });

  test('sees an answered pair that is not in the log', () => {
    expect(judgeIssuance(refresh, ends, { issuances: new Map() }).map(({ rule }) => rule)).toEqual([
      'ledger',
    ]);
  });

  const ids = { organizationId: 'o', addonId: 'a' };
  const key = epochKey('o', 'a', 3);
  const revoked = (count: number) => ({ count, reason: 'addon-deactivated' });
  const good = {
    issuances: new Map(),
    revocations: new Map([
      ['g', revoked(1)],
      ['h', revoked(1)],
    ]),
    deactivations: new Map([[key, 1]]),
    completions: new Map([[key, [2]]]),
  };
  const judge = (changes: Partial<typeof good>) =>
    judgeLedger({ ...ids, ends, grants: new Map([[3, ['g', 'h']]]) }, { ...good, ...changes }).map(
      ({ what }) => what,
    );

  test('has nothing to say about one GrantRevoked per grant and one RevocationCompleted', () => {
    expect(judge({})).toEqual([]);
  });

  test.each([
    [
      'a grant that was not revoked',
      { revocations: new Map([['g', revoked(1)]]), completions: new Map([[key, [1]]]) },
      'a grant with 0 GrantRevoked',
    ],
    [
      'a grant that was revoked twice',
      {
        revocations: new Map([
          ['g', revoked(2)],
          ['h', revoked(1)],
        ]),
      },
      'a grant with 2 GrantRevoked',
    ],
    ['an epoch that was completed twice', { completions: new Map([[key, [2, 2]]]) }, '2 RevocationCompleted'],
    [
      'an epoch that was never completed',
      { completions: new Map<string, number[]>() },
      '0 RevocationCompleted',
    ],
    ['an epoch that ended twice', { deactivations: new Map([[key, 2]]) }, '2 AddonDeactivated'],
    [
      'a count that is wrong',
      { completions: new Map([[key, [3]]]) },
      'RevocationCompleted counts 3 grants, 2 were revoked for it',
    ],
  ])('sees %s', (_what, changes, said) => {
    expect(judge(changes)).toEqual([`epoch 3: ${said}`]);
  });
});
