import {
  type CopyPlan,
  CopyRefused,
  differenceOf,
  isOfService,
  metadataOf,
  ofService,
  planned,
} from './copy-plan.ts';
import type { EventToCopy, RawEvent, RawLog } from './raw-log.ts';
import type { ExpectedRevision } from './unary-calls.ts';

/** The server's default maximum for one append, in bytes. */
const maxAppendBytes = 1_048_576;
const maxAppendEvents = 1_000;

/** The current step of a copy, and how many of the plan's events (stream metadata included) are done. */
export type CopyProgress = { readonly step: 'compare' | 'copy' | 'verify'; readonly done: number };

export type CopyDependencies = {
  readonly source: Pick<RawLog, 'read'>;
  readonly target: Pick<RawLog, 'read' | 'append'>;
  readonly plan: CopyPlan;
  /** The event that closes the copy, and where it goes: the revision before it. */
  readonly closing: {
    readonly stream: string;
    readonly type: string;
    readonly expected: ExpectedRevision;
    /** Called once everything is copied and compared. */
    make(): Promise<EventToCopy>;
    /** Whether an existing closing event belongs to this copy. */
    isOfThis(event: RawEvent): boolean;
  };
  readonly progressed: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
};

/**
 * Copies a log event by event, in its order, to another server; continues an interrupted copy. At the end it reads both
 * logs again, compares them byte by byte, and closes the copy with an event of its own.
 * @returns whether it was closed already: then it was only compared
 * @throws CopyRefused, what the logs throw, the reason of the aborted signal
 */
export const copyLog = async (dependencies: CopyDependencies): Promise<{ readonly wasClosed: boolean }> => {
  const { source, plan, signal } = dependencies;
  const originals = planned(source, plan, signal);
  const found = await compare(dependencies, originals, 'compare');
  if (!found.isClosed) {
    await appendRest(dependencies, found.next, originals, found.done);
    const again = await compare(dependencies, planned(source, plan, signal), 'verify');
    if (again.next) throw new CopyRefused('copy-differs', `the copy ends before ${named(again.next)}`);
  }
  const closing = found.isClosed ? null : await dependencies.closing.make();
  await refuseGrown(dependencies);
  if (closing) await close(dependencies, closing);
  return { wasClosed: found.isClosed };
};

type Compared = {
  /** The first original that the target does not have; null when it has all. */
  readonly next: RawEvent | null;
  readonly done: number;
  readonly isClosed: boolean;
};

/** Compares the target with the originals, from the beginning to the target's end. @throws CopyRefused */
const compare = async (
  { target, closing, progressed, signal }: CopyDependencies,
  originals: AsyncGenerator<RawEvent>,
  step: 'compare' | 'verify',
): Promise<Compared> => {
  let [done, isClosed] = [0, false];
  const isClosing = ({ stream, type }: RawEvent) => stream === closing.stream && type === closing.type;
  let next = await nextOf(originals);
  const other = (copy: RawEvent, part: string | null) =>
    isClosing(copy) ? closed(next) : stranger(copy, next, done, part);
  for await (const copy of ofService(target, signal)) {
    if (isClosed) throw inUse(copy);
    if (next === null || (isClosing(copy) && copy.id !== next.id)) {
      if (next === null && isClosing(copy) && closing.isOfThis(copy)) isClosed = true;
      else throw other(copy, null);
    } else {
      if (done === 0) refuseSame(next, copy);
      const part = differenceOf(next, copy);
      if (part !== null) throw step === 'verify' ? differs(next, part) : other(copy, part);
      progressed({ step, done: ++done });
      next = await nextOf(originals);
    }
  }
  signal.throwIfAborted();
  return { next, done, isClosed };
};

const nextOf = async (events: AsyncGenerator<RawEvent>): Promise<RawEvent | null> => {
  const { value, done } = await events.next();
  return done ? null : value;
};

const named = ({ stream, revision, type, id }: RawEvent): string =>
  `event ${id} (${type}, revision ${revision} of ${stream})`;

const refuseSame = (original: RawEvent, copy: RawEvent): void => {
  if (original.created === copy.created && original.position.commit === copy.position.commit)
    throw new CopyRefused('same-log', 'both addresses lead to the same log');
};

const closed = (next: RawEvent | null): CopyRefused =>
  new CopyRefused(
    'target-in-use',
    next === null
      ? 'it was closed as the copy of another log'
      : `it was closed as a copy already, and the log that is copied has grown since: ${named(next)} is not in it`,
  );

const stranger = (copy: RawEvent, next: RawEvent | null, done: number, part: string | null): CopyRefused => {
  if (done === 0 || next === null)
    return new CopyRefused(
      'target-not-empty',
      `it contains an event that is not from this log: ${named(copy)}. The target must be empty`,
    );
  const how =
    part === null || part === 'stream' || part === 'event id' ? '' : `, which differs in its ${part}`;
  return new CopyRefused(
    'target-not-empty',
    `it contains the first ${done} events of this log, and then ${named(copy)} instead of ${named(next)}${how}. The target must be empty, or contain the beginning of the same copy`,
  );
};

const inUse = (event: RawEvent): CopyRefused =>
  new CopyRefused(
    'target-in-use',
    `it was closed as a copy of this log already, and has been used since: ${named(event)} follows it`,
  );

const differs = (original: RawEvent, part: string): CopyRefused =>
  new CopyRefused(
    'copy-differs',
    `the ${part} of ${named(original)} was stored differently from what was sent. The copy is not closed: start again with an empty event store`,
  );

/** One append after the other: only this preserves the order of the log, even if answers are lost. */
const appendRest = async (
  { target, progressed, signal }: CopyDependencies,
  first: RawEvent | null,
  originals: AsyncGenerator<RawEvent>,
  before: number,
): Promise<void> => {
  let done = before;
  for await (const run of runsOf(first, originals)) {
    signal.throwIfAborted();
    const [{ stream, revision }] = run;
    const isFirst = revision === 0n || metadataOf(stream) !== null;
    const expected = isFirst ? 'no-stream' : revision - 1n;
    if (!(await target.append(stream, expected, run, signal)))
      throw new CopyRefused(
        'target-in-use',
        `another process wrote to ${stream} during the copy, or that stream was deleted there before`,
      );
    done += run.length;
    progressed({ step: 'copy', done });
  }
  signal.throwIfAborted();
};

type Run = readonly [RawEvent, ...RawEvent[]];

/** Consecutive events of one stream go into one append, up to its maximum size. */
async function* runsOf(first: RawEvent | null, rest: AsyncGenerator<RawEvent>): AsyncGenerator<Run> {
  if (first === null) return;
  let run: [RawEvent, ...RawEvent[]] = [first];
  let bytes = sizeOf(first);
  for await (const event of rest) {
    const joined = bytes + sizeOf(event);
    const fits = joined <= maxAppendBytes && run.length < maxAppendEvents;
    if (fits && event.stream === run[0].stream) {
      run.push(event);
      bytes = joined;
    } else {
      yield run;
      [run, bytes] = [[event], sizeOf(event)];
    }
  }
  yield run;
}

const sizeOf = ({ data, metadata, type }: RawEvent): number =>
  data.length + metadata.length + 2 * type.length;

/** If another process still writes to the source log, the copy lacks its events. */
const refuseGrown = async ({ source, plan, signal }: CopyDependencies): Promise<void> => {
  for await (const event of source.read(plan.last, signal))
    if (isOfService(event))
      throw new CopyRefused(
        'source-grew',
        `the log grew while it was copied: ${named(event)} came. Stop all processes that write to it, and run this again to continue`,
      );
  signal.throwIfAborted();
};

const close = async ({ target, closing, signal }: CopyDependencies, event: EventToCopy): Promise<void> => {
  if (!(await target.append(closing.stream, closing.expected, [event], signal)))
    throw new CopyRefused('target-in-use', `somebody else wrote to ${closing.stream} while it was copied`);
};
