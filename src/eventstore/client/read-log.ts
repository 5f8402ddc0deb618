import { pause } from '../../common/backoff.ts';
import type { StoredEvent as ClientEvent } from '../codec/codec.ts';
import {
  comparePositions,
  type LogReader,
  type Position,
  type StoredEvent,
  type StreamPattern,
} from '../event-store.ts';
import type { Logger } from '../logger.ts';
import { isInvalidPosition } from './esdb-errors.ts';
import { describeEnding, makeResumption, positionNotInLog, regexOf } from './subscription.ts';
import { isFurther, positionOf, type Source, type SourceOptions } from './subscription-source.ts';

type Dependencies = {
  readonly open: (options: Omit<SourceOptions, 'confirmMs'>) => Source | Promise<Source>;
  readonly logger: Logger;
  readonly resumeMs: number;
};

type Options = Parameters<LogReader['readLog']>[0];

/** Reads the log by a subscription that stops at its end: the server filters, and no page is read twice. @throws EventStoreUnavailable after `resumeMs` without headway */
export async function* readLog(
  { open, logger, resumeMs }: Dependencies,
  options: Options,
): AsyncGenerator<StoredEvent> {
  const { until, signal } = options;
  const filter = filterOf(options.only);
  const backoff = makeResumption(resumeMs, 5_000);
  let after = options.after;
  while (!signal.aborted) {
    const source = await open({ ...filter, after });
    signal.addEventListener('abort', source.stop);
    try {
      for (let arrivals = await source.take(); arrivals; arrivals = await source.take())
        for (const arrival of arrivals) {
          if (arrival.kind === 'caught-up') return;
          const at = positionOf(arrival);
          if (!at || !isFurther(at, after)) continue;
          if (until && comparePositions(at, until) > 0) return;
          after = at;
          backoff.reset();
          if (arrival.kind === 'event' && !arrival.event.type.startsWith('$'))
            yield storedEvent(arrival.event, at);
        }
    } finally {
      signal.removeEventListener('abort', source.stop);
      source.stop();
    }
    if (signal.aborted) return;
    if (isInvalidPosition(source.ending())) throw positionNotInLog();
    logger.warn({ cause: describeEnding(source) }, 'event store: log read resumed');
    await pause(backoff.next(source.ending()), signal);
  }
}

/** Names of the event store's own events begin with a dollar sign. */
const ours = { by: 'type', regex: '^[^$]' } as const;

const filterOf = (only: Options['only']): Pick<SourceOptions, 'by' | 'regex'> => {
  if (!only) return ours;
  return 'eventTypes' in only
    ? { by: 'type', regex: regexOf(only.eventTypes) }
    : { by: 'stream', regex: `^(?:${only.streams.map(patternOf).join('|')})` };
};

const patternOf = (pattern: StreamPattern): string => {
  const text = 'name' in pattern ? pattern.name : pattern.prefix;
  if (!/^[A-Za-z0-9_.-]+$/.test(text))
    throw new TypeError('a stream is named by ASCII letters, digits, _, . and -');
  return `${text.replaceAll('.', '[.]')}${'name' in pattern ? '$' : ''}`;
};

/** Only events have a position of their own in `$all`; the read of a stream returns it, too. */
export const storedEvent = (event: Omit<ClientEvent, 'position'>, position: Position): StoredEvent => ({
  id: event.id,
  stream: event.streamId,
  revision: event.revision,
  position,
  type: event.type,
  data: event.data,
  metadata: event.metadata,
  created: event.created.getTime(),
});
