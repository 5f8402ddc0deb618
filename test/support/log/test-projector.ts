import type { DomainEvent } from '../../../src/domain/events.ts';
import type { StreamName } from '../../../src/domain/streams.ts';
import {
  comparePositions,
  type LogMessage,
  type LogSubscriptions,
  type Position,
  type RecordedEvent,
} from '../../../src/eventstore/event-store.ts';
import { readModelProjections } from '../../../src/projections/read-model-projections.ts';
import {
  startProjector,
  type Projector,
  type ProjectorDependencies,
} from '../../../src/projections/follow/projector.ts';
import { quietLogger } from '../quiet-logger.ts';
import { nextWrite } from './next-write.ts';

/** A log that a test writes by hand: added events are recorded at once, and delivered to all subscribers. */
export type ScriptedLog = LogSubscriptions & {
  add(stream: StreamName, event: DomainEvent): RecordedEvent;
  readonly events: readonly RecordedEvent[];
  /** Tells every subscription that nothing before this position matches. */
  checkpoint(position: Position): void;
  /** Ends all current subscriptions, like a lost connection. */
  drop(): void;
  /** Number of subscriptions so far. */
  subscriptions(): number;
};

export const positionOf = (n: number): Position => ({ commit: BigInt(n), prepare: BigInt(n) });

export const scriptedLog = (): ScriptedLog => {
  const events: RecordedEvent[] = [];
  const revisions = new Map<string, bigint>();
  const listeners = new Set<() => void>();
  let checkpoint: Position | null = null;
  let drops = 0;
  let begun = 0;
  const wake = () => {
    for (const listener of listeners) listener();
  };

  async function* deliver(
    after: Position | null,
    types: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<LogMessage> {
    const dropsBefore = drops;
    let next = 0;
    let told = after;
    let caughtUp = false;
    while (!signal.aborted && drops === dropsBefore) {
      const event = events[next];
      if (event) {
        next += 1;
        const wanted = after === null || comparePositions(event.position, after) > 0;
        if (wanted && types.includes(event.event.type)) yield { kind: 'event', event };
      } else if (checkpoint && (told === null || comparePositions(checkpoint, told) > 0)) {
        told = checkpoint;
        yield { kind: 'checkpoint', position: checkpoint };
      } else if (!caughtUp) {
        caughtUp = true;
        yield { kind: 'caught-up' };
      } else await nextWrite(listeners, signal);
    }
  }

  return {
    events,
    add(stream, event) {
      const revision = (revisions.get(stream) ?? -1n) + 1n;
      revisions.set(stream, revision);
      const n = events.length + 1;
      const recorded: RecordedEvent = {
        id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
        stream,
        revision,
        position: positionOf(10 * n),
        created: Date.UTC(2026, 0, 1) + 1000 * n,
        event,
        metadata: {},
      };
      events.push(recorded);
      wake();
      return recorded;
    },
    checkpoint(position) {
      checkpoint = position;
      wake();
    },
    drop() {
      drops += 1;
      wake();
    },
    subscriptions: () => begun,
    subscribe({ after, eventTypes, signal }) {
      begun += 1;
      return deliver(after, eventTypes, signal);
    },
  };
};

/** A projector of all read models that tries to become leader often, and logs nothing. */
export const startTestProjector = (
  needs: Pick<ProjectorDependencies, 'databaseUrl' | 'log'> & Partial<ProjectorDependencies>,
): Projector =>
  startProjector({
    projections: readModelProjections,
    logger: quietLogger(),
    bounds: { pollMs: 20 },
    ...needs,
  });

/** Runs a projector until all current events of the log have been applied. */
export const projectAll = async (
  databaseUrl: string,
  log: LogSubscriptions,
  options: Partial<ProjectorDependencies> = {},
): Promise<void> => {
  const projector = startTestProjector({ databaseUrl, log, ...options });
  await projector.caughtUp;
  await projector.stop();
};
