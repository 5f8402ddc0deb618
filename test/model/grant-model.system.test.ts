import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { days, seconds, t0 } from '../support/scenes/grants.ts';
import { modelAt, type ModelLifetimes } from './grant-model.ts';
import { anyCommands } from './grant-steps.ts';
import { openWorld } from './grant-world.ts';
import { isRelease } from '../support/tiers.ts';

/*
 * Broken on purpose, one at a time, each of these was found within 100 sequences: the epoch of a user's grant compared
 * with `<` only; the fence's row of a withdrawal not written; a disabling that does not count; an activation's epoch not
 * compared; a grace that the first use of the successor does not close; a grace that never ends; a scope that a refresh
 * widens; a reuse, and a replay, that do not end the family; a revoked access token, and a revoked family, of which the
 * fence is not told; a superseded refresh token that introspection calls active; an introspection that does not ask the
 * fence; an absolute expiry that moves; a foreign client that refreshes; a code for an approval that was withdrawn.
 * Not found here, because commands run one after the other: a second look at the fence that is left out (P2). For that
 * there are test/commands/organizations/deactivation.test.ts and withdraw-consent.test.ts.
 */

/** Such that one sequence meets every end: the whole ends within the grace of a token that was refreshed late. */
const lifetimes: ModelLifetimes = {
  code: seconds(60),
  accessToken: seconds(3_600),
  refreshIdle: days(2),
  refreshAbsolute: days(2) + seconds(20),
  refreshGrace: seconds(30),
  refreshGraceOutage: seconds(300),
  replayTolerance: seconds(1),
};

const numRuns = Number(process.env['GRANTBOOK_MODEL_RUNS'] ?? (isRelease ? 400 : 150));

const reportOf = <T>(details: fc.RunDetails<T>): string =>
  `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`;

describe(`grants as a model foretells them (${numRuns} sequences)`, () => {
  test.each([
    ['with a grace (OP-10, TC-09 to TC-13, RT-02 to RT-13, RT-17, RV-05, IN-04, DE-05)', lifetimes],
    ['with a grace that no outage lengthens (OP-10, RT-03)', { ...lifetimes, refreshGraceOutage: 0 }],
    ['with strict single use (RT-07)', { ...lifetimes, refreshGrace: 0 }],
  ])('%s: one redemption, one line of rotations, nothing after the end', async (_name, chosen) => {
    const sequence = fc.asyncProperty(anyCommands(chosen), async (commands) => {
      const setup = async () => ({
        model: { model: modelAt(t0), lifetimes: chosen },
        real: await openWorld(chosen),
      });
      await fc.asyncModelRun(setup, commands);
    });
    const details = await fc.check(sequence, { numRuns: Math.ceil(numRuns / 3) });
    expect(details.failed ? reportOf(details) : 'as foretold').toBe('as foretold');
  });
});
