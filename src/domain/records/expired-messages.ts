import type { DataIn, EventsIn } from '../describe-event.ts';
import { accept, type Decider, type Decision, type Instant } from '../kernel/decision.ts';
import type { expiredMessageEvents } from './events.ts';
import { recordResources, type RecordResource } from './record-resources.ts';

export type ExpiredMessageEvent = EventsIn<typeof expiredMessageEvents>;

/** Records of one kind, as the list and the import call them. */
export type RecordsPath = RecordResource['path'];

export const recordsPaths: readonly RecordsPath[] = recordResources.map(({ path }) => path);

/** Messages of a partition that were deleted before they were read: from one offset up to another (exclusive). */
export type ExpiredRange = {
  readonly records: RecordsPath;
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  readonly until: bigint;
  /** When it was found. */
  readonly at: Instant;
};

export type ExpiredMessages = {
  /** All that were ever found, by offset: the same ones may be found again. */
  readonly found: readonly ExpiredRange[];
  /** How many of `found`, from the beginning, each kind's newest confirmation covers. */
  readonly confirmed: Readonly<Partial<Record<RecordsPath, number>>>;
};

export const expiredMessagesDecider: Decider<ExpiredMessages, ExpiredMessageEvent> = {
  initial: { found: [], confirmed: {} },
  evolve(state, { type, data }) {
    switch (type) {
      case 'HostMessagesExpired':
        return { ...state, found: [...state.found, rangeOf(data)] };
      case 'ExpiredMessagesConfirmed':
        return { ...state, confirmed: { ...state.confirmed, [data.records]: state.found.length } };
    }
  },
};

const rangeOf = (data: DataIn<typeof expiredMessageEvents, 'HostMessagesExpired'>): ExpiredRange => ({
  ...data,
  from: BigInt(data.from),
  until: BigInt(data.until),
});

/** Those of which no operator has confirmed that a snapshot was imported. */
export const missingOf = ({ found, confirmed }: ExpiredMessages): readonly ExpiredRange[] =>
  found.filter(({ records }, index) => index >= (confirmed[records] ?? 0));

export const messagesIn = (ranges: readonly Pick<ExpiredRange, 'from' | 'until'>[]): bigint =>
  ranges.reduce((sum, { from, until }) => sum + until - from, 0n);

export const sinceOf = (ranges: readonly Pick<ExpiredRange, 'at'>[]): Instant | null =>
  ranges.length === 0 ? null : Math.min(...ranges.map(({ at }) => at));

export type Gap = Omit<ExpiredRange, 'from'> & {
  /** The next offset that was to be read; null where none is committed. */
  readonly from: bigint | null;
};

/** Records what was not known: a reader that stops before it reads on finds the same again, or a longer gap. */
export const noteExpired = (
  { found }: ExpiredMessages,
  { from, until, ...gap }: Gap,
): Decision<ExpiredMessageEvent> => {
  const known = found.filter(
    (range) =>
      range.topic === gap.topic &&
      range.partition === gap.partition &&
      range.until <= until &&
      (from === null || (range.from <= from && from <= range.until)),
  );
  const first = known.reduce((most, range) => (range.until > most ? range.until : most), from ?? 0n);
  if (first >= until) return accept();
  return accept({
    type: 'HostMessagesExpired',
    data: { ...gap, from: String(first), until: String(until) },
  });
};

/** Nothing is missing afterwards; confirming again changes nothing. */
export const confirmExpired = (
  state: ExpiredMessages,
  confirmed: { readonly records: RecordsPath; readonly by: string; readonly at: Instant },
): Decision<ExpiredMessageEvent> =>
  missingOf(state).some(({ records }) => records === confirmed.records)
    ? accept({ type: 'ExpiredMessagesConfirmed', data: confirmed })
    : accept();
