/** A metric as Prometheus reads it: one name, one meaning, a number for each set of labels. */
export type Metric = {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
};

/** Labels have values of small, closed sets: never an id, an address or a name. */
export type Labels = Readonly<Record<string, string>>;

export type Sample = {
  readonly labels?: Labels;
  readonly value: number;
  /** For the parts of a histogram. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
};

export const counter = (name: string, help: string, samples: Metric['samples']): Metric => ({
  name,
  help,
  type: 'counter',
  samples,
});

export const gauge = (name: string, help: string, samples: Metric['samples']): Metric => ({
  name,
  help,
  type: 'gauge',
  samples,
});

/** A metric without labels: one number, or none where there is no value. */
export const only = (value: number | null | undefined): Metric['samples'] =>
  typeof value === 'number' ? [{ value }] : [];

/** The same for a time in milliseconds since the Unix epoch. */
export const onlyTime = (at: number | null | undefined): Metric['samples'] =>
  only(typeof at === 'number' ? at / 1000 : null);

/** One number for each value of a label, or none where nobody knows them. */
export const by = (
  label: string,
  values: Readonly<Record<string, number | undefined>> | null | undefined,
): Metric['samples'] =>
  Object.entries(values ?? {}).map(([name, value = 0]) => ({ labels: { [label]: name }, value }));

/** 1 for the current state, 0 for the others: so each exists from the start, and can be summed over instances. */
export const oneOf = <State extends string>(
  states: readonly State[],
  now: State,
  label: string,
  labels: Labels = {},
): Metric['samples'] =>
  states.map((state) => ({ labels: { ...labels, [label]: state }, value: state === now ? 1 : 0 }));
