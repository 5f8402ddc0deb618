import { randomUUID } from 'node:crypto';
import {
  copyLog,
  type CopyPlan,
  type CopyProgress,
  CopyRefused,
  type EventToCopy,
  planCopy,
  type RawEvent,
} from '#log-copy';
import { verifyHead } from '#verify';
import { Interrupted } from '../../audit/interrupted.ts';
import { signCopy } from '../../audit/log-copies/log-copy.ts';
import type { LogHead } from '../../audit/log-heads/read-heads.ts';
import { LogChanged } from '../../audit/log-heads/sign-head.ts';
import { TilesDamaged } from '../../audit/log-tiles/tile.ts';
import { logCopyStream, logHeadStream } from '../../domain/streams.ts';
import { codec } from '../../eventstore/codec/codec.ts';
import { openRawLog } from '../../eventstore/client/raw-log.ts';
import { comparePositions, EventStoreUnavailable } from '../../eventstore/event-store.ts';
import { sentenceOf, type Trouble } from '../../eventstore/server/trouble-words.ts';
import { explainTrouble, lookForTrouble } from '../../eventstore/server/trouble.ts';
import { answer, number, refused, sheet, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { NotReached } from '../base/not-reached.ts';
import type { CliService } from '../base/service.ts';
import { ledNow } from '../doctor/running.ts';
import { counted, makeMeter, showProgress, type Progress } from '../base/progress.ts';

/** Copies the log of the settings to the event store of `url`. */
export const copyTo = async (io: CliIo, url: string): Promise<Answer> => {
  const target = openRawLog(url);
  try {
    const service = await io.openService('operator', { quiet: true });
    try {
      const trouble = await lookForTrouble(url);
      if (trouble) throw notReached(trouble);
      await firstOf(target.read(null, io.signal)).catch(async (cause: unknown) => {
        throw notReached(await explainTrouble(url, cause));
      });
      return await copyFrom(io, service, target);
    } finally {
      await service.close();
    }
  } catch (error) {
    if (io.signal.aborted) return refused('interrupted', 'it was interrupted: run it again to continue');
    if (error instanceof CopyRefused) return refused(error.code, error.message);
    if (error instanceof LogChanged || error instanceof TilesDamaged)
      return refused('log-changed', error.message);
    if (error instanceof EventStoreUnavailable)
      return refused('unavailable', `${error.message}. Run it again to continue`);
    throw error;
  } finally {
    await target.close();
  }
};

const notReached = (trouble: Trouble): NotReached =>
  new NotReached('--to', sentenceOf(trouble).replaceAll('EVENTSTORE_URL', '--to').replace(/^t/, 'T'));

const firstOf = async (events: AsyncGenerator<RawEvent>): Promise<void> => void (await events.next());

const copyFrom = async (
  io: CliIo,
  service: CliService,
  target: ReturnType<typeof openRawLog>,
): Promise<Answer> => {
  const { signal } = io;
  const led = await ledNow(service.databaseUrl);
  if (led[0])
    return refused(
      'service-runs',
      `a service runs on this log, from ${led[0].leader}: its new events would be missing in the copy. Stop every instance`,
    );
  const source = openRawLog(service.eventStoreUrl);
  let now: () => Progress = () => ({ share: null, text: 'reading the log' });
  const display = showProgress(io.stderr, () => now());
  try {
    const head = await headOver(service, signal);
    const plan = await planCopy(source, signal, (events) => {
      now = () => ({ share: null, text: `${number.format(events)} events read` });
      display.news();
    });
    const total = plan.events + plan.withMetadata;
    let latest: CopyProgress | null = null;
    let meter = makeMeter();
    const { wasClosed } = await copyLog({
      source,
      target,
      plan,
      closing: await closingOf(service, plan, head),
      progressed: ({ step, done }) => {
        if (step !== latest?.step) meter = makeMeter(done);
        latest = { step, done };
        now = () => counted(`events ${doing[step]}`, done, total, meter(done, total));
      },
      signal,
    });
    return present(plan, head, wasClosed);
  } finally {
    display.end();
    await source.close();
  }
};

const doing = {
  compare: 'compared with what is there already',
  copy: 'copied',
  verify: 'compared with the copy',
} as const;

/** A head over the whole log: the newest if no event follows it, otherwise one that is signed now. */
const headOver = async ({ logHeads, store }: CliService, signal: AbortSignal): Promise<LogHead> => {
  const end = (await logHeads.tree(signal)).position();
  const newest = await logHeads.newest();
  const [stored] = newest ? await store.readStored(logHeadStream, newest.revision, 1) : [];
  const isLast = end !== null && stored !== undefined && comparePositions(stored.position, end) === 0;
  const { revision: _, ...logged } =
    isLast && newest ? newest : { revision: null, ...(await logHeads.sign(signal)) };
  if (end === null || !('jws' in logged))
    throw new CopyRefused('log-empty', 'the log is empty: there is nothing to copy');
  if (signal.aborted) throw new Interrupted('no head was signed');
  const { format: _format, ...head } = (await verifyHead(logged, null)).head;
  return { ...head, jws: String(logged.jws) };
};

const closingOf = async (service: CliService, plan: CopyPlan, head: LogHead) => {
  const { revision: expected } = await service.store.readBack(logCopyStream, 'end', 1);
  return {
    stream: logCopyStream,
    type: 'LogCopied',
    expected,
    async make(): Promise<EventToCopy> {
      const { events, streams, leftOut: streamsLeftOut } = plan;
      const about = { events, streams, streamsLeftOut, head, at: Date.now() };
      const { type, data, metadata } = codec.encode({
        type: 'LogCopied',
        data: await signCopy(service.sign, about),
      });
      return { id: randomUUID(), type, isJson: true, data: bytes(data), metadata: bytes(metadata) };
    },
    isOfThis({ data }: RawEvent): boolean {
      const said = JSON.parse(Buffer.from(data).toString('utf8')) as { readonly head?: Partial<LogHead> };
      return said.head?.root === head.root && said.head.size === head.size;
    },
  };
};

const bytes = (json: object): Uint8Array => Buffer.from(JSON.stringify(json));

const present = (plan: CopyPlan, head: LogHead, wasClosed: boolean): Answer => {
  const { events, streams, leftOut, withMetadata } = plan;
  const facts = { events, streams, streams_left_out: leftOut, streams_with_metadata: withMetadata };
  return answer(
    { ...facts, head, closed_before: wasClosed },
    [
      wasClosed
        ? 'The copy was already closed. It was compared again and is identical byte by byte.'
        : 'Everything was copied, and compared byte by byte.',
      sheet({
        events: String(events),
        streams: String(streams),
        ...(leftOut > 0 && { 'left out': `${leftOut} deleted streams` }),
        'last head': `over ${head.size} events, root ${head.root}`,
      }),
      'What to do now: docs/how-to/copy-the-log.md, "After the copy".',
    ].join('\n'),
  );
};
