import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../eventstore/event-store.ts';
import { makeInFlight } from '../records/in-flight.ts';
import type { RecordProblem } from '../records/parse-record.ts';
import type { ReceivedBatch, ReceivedMessage } from '../kafka-client.ts';
import type { IngestOutcome } from '../status.ts';
import type { DeadLetter, DeadLetterReason } from './dead-letter.ts';
import type { ReadWork, Work } from './resources.ts';

type Dependencies = {
  readonly read: ReadWork;
  readonly organizationExists: (organizationId: string) => boolean | Promise<boolean>;
};

export type Recorded = {
  readonly done: readonly Exclude<IngestOutcome, 'dead-lettered'>[];
  /** By offset. */
  readonly deadLetters: readonly DeadLetter[];
  /** Errors of single messages that do not affect others. By offset. */
  readonly failures: readonly { readonly message: ReceivedMessage; readonly cause: unknown }[];
};

/** Maximum concurrency within one batch. Appends are committed in groups, which fewer would not fill. */
const mostInFlight = 256;

/** Records a batch: messages of one record in order, others concurrently. Nothing is pending at the end; rejected: retry the whole batch. */
export const recordBatch = async (
  { read, organizationExists }: Dependencies,
  batch: ReceivedBatch,
  signal: AbortSignal,
): Promise<Recorded> => {
  const done: Exclude<IngestOutcome, 'dead-lettered'>[] = [];
  const deadLetters: DeadLetter[] = [];
  const failures: { readonly message: ReceivedMessage; readonly cause: unknown }[] = [];
  const bury = (
    message: ReceivedMessage,
    reason: DeadLetterReason,
    problems: readonly RecordProblem[] = [],
  ): void => {
    const { topic, partition } = batch;
    deadLetters.push({ topic, partition, message, reason, problems });
  };
  const record = async (message: ReceivedMessage, work: Work): Promise<void> => {
    if (signal.aborted) return;
    if (!(await organizationExists(work.organizationId))) return bury(message, 'unknown-organization');
    const outcome = await work.record();
    if (outcome.ok) done.push(outcome.value.effect);
    else if (outcome.refusal === 'older-version') done.push('outdated');
    // Not a dead letter: that would be another copy of erased data.
    else if (outcome.refusal === 'record-erased') done.push('erased');
    else bury(message, 'version-conflict', [conflict]);
  };
  const inFlight = makeInFlight(mostInFlight);
  try {
    for (const message of batch.messages) {
      if (signal.aborted) break;
      const parsed = read(message);
      if (parsed.ok) {
        const { organizationId, id } = parsed.value;
        const full = inFlight.start(`${organizationId}.${id}`, () =>
          record(message, parsed.value).catch((cause: unknown) => {
            if (isTransient(cause)) throw cause;
            failures.push({ message, cause });
          }),
        );
        if (full) await full;
      } else bury(message, isWhole(parsed.problems) ? 'unreadable' : 'invalid', parsed.problems);
    }
  } finally {
    await inFlight.drain();
  }
  signal.throwIfAborted();
  return { done, deadLetters: byOffset(deadLetters), failures: byOffset(failures) };
};

const isTransient = (cause: unknown): boolean =>
  cause instanceof EventStoreUnavailable || cause instanceof AppendOutcomeUnknown;

const isWhole = (problems: readonly RecordProblem[]): boolean => problems.some(({ field }) => field === null);

const byOffset = <T extends { readonly message: ReceivedMessage }>(all: readonly T[]): readonly T[] =>
  all.toSorted((a, b) => (a.message.offset < b.message.offset ? -1 : 1));

const conflict: RecordProblem = {
  field: 'version',
  message: 'must be higher: this version is stored already with other content',
};
