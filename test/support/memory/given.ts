import { expect } from 'vitest';
import { type Decider, type Decision, fold } from '../../../src/domain/kernel/decision.ts';

/**
 * Given these events, when a command is decided, then these events follow. One per decider:
 * `const given = scenariosOf(lockerDecider)` and then
 * `given(rented, wrongPin).when((locker) => openLocker(locker, …)).refused('wrong-pin', wrongPin)`.
 */
export const scenariosOf =
  <S, E>(decider: Decider<S, E>) =>
  (...history: readonly E[]) => {
    const state = fold(decider, history);
    return {
      /** The folded state, for tests of `evolve` alone. */
      state,
      when: <R extends string = never>(decide: (state: S) => Decision<E, R>) => thenOf(decide(state)),
    };
  };

const thenOf = <E, R extends string>({ events, refusal }: Decision<E, R>) => ({
  /** Accepted with exactly these events, in this order; none means that nothing changes. */
  accepted: (...expected: readonly E[]) =>
    expect({ refusal, events }).toEqual({ refusal: undefined, events: expected }),
  /** Refused for this reason, with exactly these events. */
  refused: (reason: R, ...expected: readonly E[]) =>
    expect({ refusal, events }).toEqual({ refusal: reason, events: expected }),
});
