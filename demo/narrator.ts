/** Prints what happens: a line for each request and a line for each answer. */
export type Narrator = {
  sent(text: string): void;
  received(text: string): void;
  /** Additional information. */
  note(text: string): void;
};

/** The actual result of a step differs from the expected one. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

export type Step<S> = {
  readonly title: string;
  /** @returns the results that later steps need */
  readonly run: (state: S, tell: Narrator) => Promise<Partial<S>>;
};

export const expectThat = (isSo: boolean, otherwise: string): void => {
  if (!isSo) throw new StepFailed(otherwise);
};

/**
 * Runs steps in order, each with the results of earlier ones. Stops at the first failure and names the step.
 * @returns whether all steps succeeded
 */
export const tellStory = async <S>(
  steps: readonly Step<S>[],
  beginning: S,
  print: (line: string) => void,
): Promise<boolean> => {
  let state = beginning;
  for (const [index, { title, run }] of steps.entries()) {
    print(`\n${index + 1}. ${title}`);
    try {
      state = { ...state, ...(await run(state, narrator(print))) };
    } catch (error) {
      print(
        `   ✗ step ${index + 1} (${title}) failed: ${error instanceof Error ? error.message : 'unknown'}`,
      );
      return false;
    }
  }
  return true;
};

const narrator = (print: (line: string) => void): Narrator => ({
  sent: (text) => print(`   → ${text}`),
  received: (text) => print(`   ← ${text}`),
  note: (text) => print(`     ${text}`),
});

/**
 * Enough of a secret to distinguish two, too little to use: `mkt_at_AQJr…x9Kw`. The beginning of our tokens is the same
 * for all tokens of a grant; the end differs.
 */
export const shortSecret = (secret: string): string => {
  const prefix = /^mkt_[a-z]+_/.exec(secret)?.[0] ?? '';
  return `${secret.slice(0, prefix.length + 4)}…${secret.slice(-4)}`;
};
