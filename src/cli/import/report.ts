import { AppendOutcomeUnknown, EventStoreUnavailable, RightMissing } from '../../eventstore/event-store.ts';
import { number, type Answer } from '../base/answer.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import { NotReached } from '../base/not-reached.ts';
import { countsText } from './progress.ts';
import type { ImportResult } from '../../kafka/import/run-import.ts';

const toMilliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000;

type Stopped = NonNullable<ImportResult['stopped']>;

/** Enough to see what is wrong; --json lists up to a thousand. */
const shownErrors = 20;

/**
 * Reports the result of an import. It counts as refused (exit code 1) when a line was refused or the import stopped
 * early; if the lists do not show the records yet, that is reported, but is no failure.
 */
export const reportImport = (done: {
  readonly resource: string;
  readonly organization: string;
  readonly result: ImportResult;
  readonly visible: boolean;
  /** From the start until everything was stored. */
  readonly seconds: number;
  /** From then on, until the lists showed it or the wait was given up. */
  readonly visibleAfterSeconds: number;
}): Answer => {
  const { resource, organization, result, visible, seconds, visibleAfterSeconds } = done;
  const { counts, stopped } = result;
  return {
    exitCode: counts.refused > 0 || stopped !== undefined ? 1 : 0,
    json: {
      resource,
      organization_id: organization,
      ...counts,
      visible,
      seconds: toMilliseconds(seconds),
      visible_after_seconds: toMilliseconds(visibleAfterSeconds),
      ...(stopped === undefined
        ? {}
        : { error: { code: 'stopped', message: stoppedText(stopped), line: stopped.atLine } }),
    },
    text: [
      `${number.format(counts.lines)} ${resource}: ${countsText(counts)}, in ${seconds.toFixed(1)} s ` +
        `(${number.format(Math.round(counts.lines / Math.max(seconds, 0.001)))} lines a second).`,
      ...errorLines(result),
      ...(stopped === undefined ? [] : [stoppedText(stopped)]),
      ...(visible ? [] : ['Everything counted above is stored; the lists may not show all of it yet.']),
    ].join('\n'),
  };
};

const stoppedText = ({ atLine, cause }: Stopped) =>
  wasInterrupted({ cause })
    ? `Interrupted near line ${atLine}; run it again: records that are already stored stay unchanged.`
    : `Stopped near line ${atLine}: ${reasonOf(cause)}. Run the import again; records that are already stored stay unchanged.`;

export const wasInterrupted = ({ cause }: Pick<Stopped, 'cause'>): boolean =>
  cause instanceof Error && cause.name === 'AbortError';

const reasonOf = (cause: unknown): string => {
  if (cause instanceof RightMissing || cause instanceof NotReached || cause instanceof NotAllowed)
    return cause.message;
  if (cause instanceof EventStoreUnavailable || cause instanceof AppendOutcomeUnknown) {
    return 'the event store is unavailable';
  }
  return cause instanceof Error ? `the file cannot be read (${cause.message})` : 'it failed';
};

const errorLines = ({ counts: { errors, errors_left_out: leftOut } }: ImportResult): readonly string[] => {
  const more = errors.length + leftOut - shownErrors;
  return [
    ...errors
      .slice(0, shownErrors)
      .map(({ line, field, message }) => `  line ${line}: ${field === null ? '' : `${field} `}${message}`),
    ...(more > 0 ? [`  … and ${more} more; --json lists ${errors.length}.`] : []),
  ];
};
