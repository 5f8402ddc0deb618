/** Tells what happens, a line for what is sent and a line for what comes back. */
export type Narrator = {
  sent(text: string): void;
  received(text: string): void;
  /** Something worth knowing that is neither. */
  note(text: string): void;
};

/** A step did something else than it says. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

export type Step<S> = {
  readonly title: string;
  /** @returns what the steps after it need to know */
  readonly run: (state: S, tell: Narrator) => Promise<Partial<S>>;
};

export const expectThat = (isSo: boolean, otherwise: string): void => {
  if (!isSo) throw new StepFailed(otherwise);
};

/**
 * Runs steps in order, each with what those before it found out. Stops at the first that fails and says which.
 * @returns whether every step did what it says
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
 * Enough of a secret to tell two apart, too little to use: `mkt_at_AQJr…x9Kw`. The beginning of our tokens is their
 * address, the same for all of one grant; the end is what differs.
 */
export const shortSecret = (secret: string): string => {
  const prefix = /^mkt_[a-z]+_/.exec(secret)?.[0] ?? '';
  return `${secret.slice(0, prefix.length + 4)}…${secret.slice(-4)}`;
};
