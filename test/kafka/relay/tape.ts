/** Decisions of a run, drawn beforehand so that a failure can be shrunk and run again; zeros after its end. */
export type Tape = {
  /** From 0 to `below` − 1. */
  choose(below: number): number;
  /** Lets others run for a while that the tape decides on. */
  yields(): Promise<void>;
};

export const makeTape = (numbers: readonly number[]): Tape => {
  let next = 0;
  const choose = (below: number) => (numbers[next++] ?? 0) % below;
  return {
    choose,
    async yields() {
      for (let left = choose(4); left > 0; left -= 1) await Promise.resolve();
    },
  };
};
