import { describe, expect, test } from 'vitest';
import { explore, type Plan } from './explore.ts';
import type { Mutation } from './mutations.ts';
import { mutations } from './mutations.ts';
import type { Trouble } from './parts.ts';
import { plans } from './plans.ts';
import { isRelease } from '../../support/tiers.ts';

/**
 * The real handlers in every order in which somebody is interrupted at most once; twice, and with more that goes wrong,
 * in the exhaustive run. Nothing here is random: a mutation is found each time or never.
 */
const interruptions = isRelease ? 2 : 1;

/**
 * After which of its steps (read, append, fence) the process that ends something is killed, before it is asked again; at less length
 * after one, which alternates between the cases.
 */
const deathsOf = (turn: number) => [undefined, ...(isRelease ? [1, 2, 3] : [1 + (turn % 3)])];

/** The reaction's fifth step is amid its appends. Much of it is side by side as it is: one interruption is a great deal. */
const itsDeaths = [undefined, 5];
const itsInterruptions = interruptions - 1;

type PlanName = keyof typeof plans;

const cases: readonly (readonly [string, PlanName])[] = [
  ['DE-02, DE-03, DE-05: two issuers, one who deactivates, one who activates again', 'issuers'],
  ['DE-02, DE-05: all who write the fence: commands, a lagging projector, a lagging rebuild', 'writers'],
  ['DE-03: a code that is being issued, and exchanged once it was answered', 'codes'],
  ['DE-02, IN-07: a resource server that introspects access and refresh token', 'introspection'],
  ['FX-50: an organization is closed while tokens are refreshed, and codes issued and exchanged', 'closing'],
  ['FX-50: a closing whose deactivations are left to a reaction that dies on the way', 'closed'],
  ["RT-17: a user's own grants, and the consent is withdrawn", 'consent'],
  ["RT-17: a user's own grants, and the account is disabled and enabled", 'account'],
  ['SU-01: a suspension that is lifted later: refused while it lasts, works after', 'suspension'],
  ['AM-12: a redirect URI is removed while codes are issued and exchanged', 'redirectUri'],
  ['AM-12: a scope is removed while codes are issued and exchanged', 'scope'],
  ['DE-04: a reaction that dies on the way, over read models that lag', 'reaction'],
];

const nobodyIssues: readonly PlanName[] = ['writers', 'introspection'];

describe('in every order, whoever ends it killed at any step and asked again', () => {
  test.each(cases)('%s', async (title, name) => {
    const deaths = deathsOf(cases.findIndex(([named]) => named === title));
    const total = { plays: 0, issued: 0, accepted: 0 };
    const reacts = name === 'reaction' || name === 'closed';
    for (const diesAfter of reacts ? itsDeaths : deaths) {
      const found = await explore(plans[name]({ diesAfter }), null, {
        interruptions: reacts ? itsInterruptions : interruptions,
      });
      expect(found.violation).toBeNull();
      total.plays += found.plays;
      total.issued += found.issued;
      total.accepted += found.accepted;
    }
    expect(total.plays).toBeGreaterThan(50);
    // A service that refuses everything would keep every promise, too.
    expect(total.accepted).toBeGreaterThan(total.plays);
    expect(total.issued).toBeGreaterThanOrEqual(nobodyIssues.includes(name) ? 0 : total.plays / 4);
  });

  test('DE-04: a reaction to a deactivation whose process died before it could close the fence', async () => {
    const found = await explore(plans.reaction({}, { diesAfter: 2 }), null, {
      interruptions: itsInterruptions,
    });
    expect(found.violation).toBeNull();
    expect(found.issued).toBeGreaterThan(found.plays / 4);
  });

  test.each<readonly [string, Trouble, Trouble]>([
    ['the one who deactivates gets no word of an append that is stored', { wire: 'loses the answer' }, {}],
    [
      'the append of the one who deactivates comes later than the retry, or never',
      { wire: 'delivers late' },
      {},
    ],
    ['the issuers get no word of appends that are stored', {}, { wire: 'loses the answer' }],
    ['the appends of the issuers come later than their retries, or never', {}, { wire: 'delivers late' }],
  ])('DE-02, DE-03: %s', async (_title, trouble, theirs) => {
    const found = await explore(plans.issuers(trouble, theirs), null, { interruptions: 1 });
    expect(found.violation).toBeNull();
    expect(found.issued).toBeGreaterThan(found.plays / 2);
  });
});

/** What finds it, and the promise that it breaks. Where nobody has to be interrupted, the plain order of things does. */
const found: Record<
  Mutation,
  { readonly plan: Plan; readonly interruptions: number; readonly breaks: RegExp }
> = {
  'no second look': { plan: plans.issuers({}), interruptions: 1, breaks: /^P2: / },
  'a second look without the epoch': { plan: plans.issuers({}), interruptions: 1, breaks: /^P2: / },
  'a bearer check without the epoch': { plan: plans.writers({}), interruptions: 0, breaks: /^P1: / },
  'a fence that only the projector writes': { plan: plans.writers({}), interruptions: 0, breaks: /^P1: / },
  'a fence where the last writer wins': { plan: plans.writers({}), interruptions: 1, breaks: /^P1: / },
  'a rebuild that swaps in a lagging fence': { plan: plans.writers({}), interruptions: 1, breaks: /^P1: / },
  'no fence, only the reaction': { plan: plans.writers({}), interruptions: 0, breaks: /^P1: / },
};

describe('the same search finds what is wrong', () => {
  test.each(mutations)('DE-02, DE-03: with %s', async (mutation) => {
    const { plan, interruptions: enough, breaks } = found[mutation];
    expect((await explore(plan, mutation, { interruptions: enough })).violation).toMatch(breaks);
    const fewer = enough > 0 ? await explore(plan, mutation, { interruptions: enough - 1 }) : null;
    expect(fewer?.violation ?? null).toBeNull();
  });

  test.each<readonly [PlanName, RegExp]>([
    ['codes', /^P2: /],
    ['consent', /^P2: /],
    ['account', /^P2: /],
    ['suspension', /^SU-01: /],
  ])('DE-03, RT-17, SU-01: without the second look in the plan of %s', async (name, breaks) => {
    expect((await explore(plans[name]({}), 'no second look', { interruptions: 1 })).violation).toMatch(
      breaks,
    );
  });
});
