/** One of those who act at the same time. */
export type Actor = {
  readonly name: string;
  /**
   * Waits until it is this actor's turn (and `when` holds), and then acts in one step that nobody interrupts: `act` may
   * await nothing but what is ready. An actor that dies after this turn never hears what came of it.
   */
  turn<T>(what: string, act: () => T | Promise<T>, options?: TurnOptions<T>): Promise<T>;
};

export type TurnOptions<T> = {
  readonly when?: () => boolean;
  /** What the actor learned, in words: whoever learned the same goes on in the same way. */
  readonly saw?: (result: T) => string;
};

/** What an actor does when it is its turn to begin; `died` resolves when its process has ended on the way. */
export type Part = (actor: Actor, died: Promise<void>) => Promise<void>;

type Waiting = {
  readonly actor: number;
  readonly when?: (() => boolean) | undefined;
  readonly go: () => void;
};

export type Stage = {
  /** Begins a part. With `diesAfter` its process ends right after so many turns, as by kill -9. */
  enter(name: string, part: Part, diesAfter?: number): void;
  /** Who could go on now, in the order of their entrance. */
  able(): readonly { readonly actor: number; go(): Promise<void> }[];
  /**
   * What every actor has done and learned so far. Not in which order it did different things: where that was its own doing
   * it follows from what it learned, and what it does side by side does not depend on it.
   */
  stories(): string;
  /** Everything that happened, in order. */
  readonly trace: readonly string[];
};

/**
 * Lets many run one at a time, each from one turn to its next: who goes on is the caller's to choose, and nothing else
 * decides about the order of anything.
 */
export const makeStage = (): Stage => {
  const stories: Map<string, string>[] = [];
  const trace: string[] = [];
  let waiting: Waiting[] = [];
  let failure: { readonly error: unknown } | null = null;

  const enter: Stage['enter'] = (name, part, diesAfter) => {
    const story = new Map<string, string>();
    const index = stories.push(story) - 1;
    const life = { turns: 0, dead: false, end: () => {} };
    const died = new Promise<void>((resolve) => (life.end = resolve));
    const note = (what: string, saw: string) => {
      story.set(what, `${story.get(what) ?? ''}=${saw}`);
      trace.push(`${name}: ${what}${saw && ` → ${saw}`}`);
    };
    const actor: Actor = {
      name,
      async turn(what, act, { when, saw } = {}) {
        await new Promise<void>((go) => waiting.push({ actor: index, when, go }));
        const result = await act();
        life.turns += 1;
        note(what, saw?.(result) ?? '');
        if (life.turns !== diesAfter) return result;
        life.dead = true;
        note('dies', '');
        waiting = waiting.filter((one) => one.actor !== index);
        life.end();
        return new Promise(() => {});
      },
    };
    part(actor, died).then(
      () => note('done', ''),
      (error: unknown) => (failure ??= { error }),
    );
  };

  const go = async (one: Waiting) => {
    waiting = waiting.filter((other) => other !== one);
    one.go();
    await quiet();
    if (failure) throw failure.error;
  };

  return {
    enter,
    able: () =>
      waiting
        .filter(({ when }) => !when || when())
        .sort((a, b) => a.actor - b.actor)
        .map((one) => ({ actor: one.actor, go: () => go(one) })),
    stories: () =>
      stories
        .map((story) =>
          [...story]
            .map(([what, saw]) => what + saw)
            .sort()
            .join(),
        )
        .join('|'),
    trace,
  };
};

/** Everything that does not wait for a turn has run once the event loop comes round. */
export const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
