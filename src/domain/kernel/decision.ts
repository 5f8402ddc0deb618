/** The events to append and, separately, a refusal, which may have events, too (a replayed code, a failed proof). */
export type Decision<E, R extends string = never> = {
  readonly events: readonly E[];
  readonly refusal?: R;
};

/** Folds a stream into the state that a decider uses. `evolve` is total: it never throws. */
export type Decider<S, E> = {
  readonly initial: S;
  readonly evolve: (state: S, event: E) => S;
};

/** Milliseconds since the Unix epoch, UTC; always an integer. */
export type Instant = number;

/** What a decision is made with: texts, mostly ids, and the time. */
export type At<K extends string = never> = Readonly<Record<K, string>> & { readonly now: Instant };

export const accept = <E>(...events: readonly E[]): Decision<E> => ({ events });

export const refuse = <R extends string, E = never>(refusal: R, ...events: readonly E[]): Decision<E, R> => ({
  events,
  refusal,
});

export const fold = <S, E>({ initial, evolve }: Decider<S, E>, events: Iterable<E>): S => {
  let state = initial;
  for (const event of events) state = evolve(state, event);
  return state;
};

/** Several decisions as one, each on the state that those before it lead to; null: none. The first refusal is that of all, without events. */
export const decideAll = <S, E, R extends string>(
  { evolve }: Decider<S, E>,
  initial: S,
  decisions: readonly (((state: S) => Decision<E, R>) | null)[],
): Decision<E, R> => {
  let [state, decided] = [initial, [] as readonly E[]];
  for (const decide of decisions) {
    const { events, refusal }: Decision<E, R> = decide?.(state) ?? accept();
    if (refusal !== undefined) return refuse(refusal);
    decided = [...decided, ...events];
    state = events.reduce(evolve, state);
  }
  return accept(...decided);
};

/** What is wrong with one field of what was sent. */
export type FieldProblem = { readonly field: string; readonly message: string };
