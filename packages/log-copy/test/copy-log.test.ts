import { expect, test } from 'vitest';
import {
  copyLog,
  type CopyProgress,
  type CopyRefused,
  type EventToCopy,
  planCopy,
  type RawEvent,
  type RawLog,
} from '../src/index.ts';
import { isAfter } from '../src/raw-log.ts';

const logCopyStream = 'logCopy-log';
const positionOf = (n: number) => ({ commit: BigInt(n), prepare: BigInt(n) });

type MemoryLog = Pick<RawLog, 'read' | 'append'> & {
  readonly events: RawEvent[];
  readonly write: (stream: string, id: string, more?: Partial<EventToCopy>) => void;
};

/** @param clock the server's: no two servers store an event at the same time */
const rawLog = (clock: string): MemoryLog => {
  const events: RawEvent[] = [];
  const write: MemoryLog['write'] = (stream, id, more = {}) => {
    const revision = BigInt(events.filter((event) => event.stream === stream).length);
    const bytes = Buffer.from(JSON.stringify({ id }));
    const event = { type: 'SessionEnded', isJson: true, data: bytes, metadata: bytes, ...more };
    events.push({ ...event, id, stream, revision, position: positionOf(events.length), created: clock });
  };
  return {
    events,
    write,
    async *read(after) {
      for (const event of events)
        if (after === null || isAfter(event.position, after)) yield await Promise.resolve(event);
    },
    append: (stream, expected, added) => {
      const next = events.filter((event) => event.stream === stream).length;
      if ((expected === 'no-stream' ? 0 : Number(expected) + 1) !== next) return Promise.resolve(false);
      for (const event of added) write(stream, event.id, event);
      return Promise.resolve(true);
    },
  };
};

const { signal } = new AbortController();
const closingId = 'closing';

/** The copy from one log to the other, as far as it comes. */
const copy = async (source: MemoryLog, target: MemoryLog) => {
  const progress: CopyProgress[] = [];
  const bytes = Buffer.from('{}');
  const closed = await copyLog({
    source,
    target,
    plan: await planCopy(source, signal),
    closing: {
      stream: logCopyStream,
      type: 'LogCopied',
      expected: 'no-stream',
      make: () =>
        Promise.resolve({ id: closingId, type: 'LogCopied', isJson: true, data: bytes, metadata: bytes }),
      isOfThis: ({ id }) => id === closingId,
    },
    progressed: (step) => void progress.push(step),
    signal,
  });
  return { ...closed, progress };
};

const aLog = (events = 4) => {
  const log = rawLog('monday');
  for (let n = 0; n < events; n += 1) log.write(`session-S${Math.floor(n / 2)}`, `E${n}`);
  return log;
};
const ids = ({ events }: MemoryLog) => events.map(({ id }) => id);
const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'none',
    (error: CopyRefused) => `${error.code}: ${error.message}`,
  );

test('a log is copied in its order, compared, and closed; a copy that was cut short goes on', async () => {
  const [source, target] = [aLog(), rawLog('tuesday')];
  const { wasClosed, progress } = await copy(source, target);
  expect(wasClosed).toBe(false);
  expect(ids(target)).toEqual([...ids(source), closingId]);
  expect(progress.map(({ step, done }) => `${step} ${done}`)).toEqual([
    'copy 2',
    'copy 4',
    ...[1, 2, 3, 4].map((done) => `verify ${done}`),
  ]);
  expect(await copy(source, target)).toMatchObject({ wasClosed: true });

  const cut = rawLog('tuesday');
  cut.write('session-S0', 'E0');
  await copy(source, cut);
  expect(ids(cut)).toEqual(ids(target));
});

test('a target that has something else is refused, with what and where', async () => {
  const other = rawLog('tuesday');
  other.write('session-S9', 'X');
  expect(await refusal(copy(aLog(), other))).toBe(
    'target-not-empty: it contains an event that is not from this log: event X (SessionEnded, revision 0 of session-S9). The target must be empty',
  );
  const parted = rawLog('tuesday');
  parted.write('session-S0', 'E0');
  parted.write('session-S0', 'E1', { type: 'Other' });
  expect(await refusal(copy(aLog(), parted))).toMatch(
    /^target-not-empty: it contains the first 1 events of this log, and then event E1 .* instead of event E1 .*, which differs in its type\./,
  );
  const longer = rawLog('tuesday');
  for (const { stream, id } of aLog().events) longer.write(stream, id);
  longer.write('session-S9', 'X');
  expect(await refusal(copy(aLog(), longer))).toMatch(/^target-not-empty: it contains an event .*: event X /);
  expect(ids(longer)).toHaveLength(5);
});

test('a closed copy is used no more, and the same log is no target', async () => {
  const target = rawLog('tuesday');
  await copy(aLog(), target);
  expect(await refusal(copy(aLog(6), target))).toMatch(
    /^target-in-use: .* the log that is copied has grown since: event E4 .* is not in it/,
  );
  target.write('session-S9', 'X');
  expect(await refusal(copy(aLog(), target))).toMatch(/^target-in-use: .* event X .* follows it/);
  const same = aLog();
  expect(await refusal(copy(same, same))).toBe('same-log: both addresses lead to the same log');
});

test('what is written to either side during the copy is found before it is closed', async () => {
  const [source, target] = [aLog(), rawLog('tuesday')];
  const growing = {
    ...source,
    read: (after: Parameters<RawLog['read']>[0], until: AbortSignal) => {
      if (target.events.length === 4 && source.events.length === 4) source.write('session-S9', 'late');
      return source.read(after, until);
    },
  };
  expect(await refusal(copy(growing, target))).toMatch(/^source-grew: .* event late /);
  expect(ids(target)).not.toContain(closingId);

  const crowded = rawLog('tuesday');
  const append = crowded.append;
  const taken = {
    ...crowded,
    append: (...given: Parameters<typeof append>) => {
      if (given[0] === 'session-S1') crowded.write('session-S1', 'theirs');
      return append(...given);
    },
  };
  expect(await refusal(copy(aLog(), taken))).toMatch(/^target-in-use: another process wrote to session-S1/);
});
