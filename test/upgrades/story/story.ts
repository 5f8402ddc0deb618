import { expect } from 'vitest';
import type { Outcome } from '../../../src/commands/kernel/outcome.ts';
import type { Running } from '../../operations/running.ts';
import type { NewerVersion } from '../newer-version.ts';

/** What an instance is made to do, after the newer version has written to every stream before each step. */
export type Story = {
  readonly running: Running;
  readonly newer: NewerVersion;
  readonly step: <T>(what: string, act: () => Promise<T>) => Promise<T>;
  /** A step that must not be refused. @returns its value */
  readonly done: <T>(what: string, act: () => Promise<Outcome<T, string>>) => Promise<T>;
  /** A step of which this must be the answer. */
  readonly says: (what: string, act: () => Promise<unknown>, answer: unknown) => Promise<void>;
};

export const storyOf = (running: Running, newer: NewerVersion): Story => {
  const step: Story['step'] = async (what, act) => {
    await newer.writeEverywhere();
    try {
      return await act();
    } catch (error) {
      throw new Error(`held up: ${what}`, { cause: error });
    }
  };
  return {
    running,
    newer,
    step,
    done: async (what, act) => {
      const outcome = await step(what, act);
      if (!outcome.ok) throw new Error(`refused: ${what}: ${outcome.refusal}`);
      return outcome.value;
    },
    says: async (what, act, answer) => expect([what, await step(what, act)]).toEqual([what, answer]),
  };
};
