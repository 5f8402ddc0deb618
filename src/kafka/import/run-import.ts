import type { z } from 'zod';
import {
  AppendOutcomeUnknown,
  comparePositions,
  EventStoreUnavailable,
  type Position,
} from '../../eventstore/event-store.ts';
import type { RecordOutcome, RecordRequest } from '../../commands/records/record.ts';
import { makeInFlight } from '../records/in-flight.ts';
import { parseRecord, type RecordProblem } from '../records/parse-record.ts';
import type { ParsedRecord } from '../records/schemas.ts';
import { readLines, type ImportLine } from './read-lines.ts';
import { makeTally, type ImportCounts, type SoFar, type Tally } from './tally.ts';

export type ImportRequest<T> = {
  readonly input: AsyncIterable<Buffer>;
  /** The number of its first line, where it is a part of a file; 1 by default. */
  readonly firstLine?: number;
  readonly organizationId: string;
  readonly schema: z.ZodType<ParsedRecord<T>>;
  readonly record: (request: RecordRequest<T>, line: number) => Promise<RecordOutcome>;
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly onFailure?: (line: number, cause: unknown) => void;
  readonly concurrency?: number;
};

export type ImportProgress = { readonly lines: number; readonly bytes: number; readonly counts: SoFar };

export type ImportResult = {
  readonly counts: ImportCounts;
  /** Position of the newest event that the import wrote; null when it changed nothing. */
  readonly position: Position | null;
  /** Set when the import could not continue. Every line that is not in the counts may be sent again. */
  readonly stopped?: { readonly atLine: number; readonly cause: unknown };
};

/** The log commits in groups: fewer lines in flight do not fill them, more only use memory. At least half of it is in flight. */
const usuallyInFlight = 512;

/** Records NDJSON line by line. A bad line is counted and reported; a failure of every line ends the import, in the result with the counts. */
export const runImport = async <T>(request: ImportRequest<T>): Promise<ImportResult> => {
  const tally = makeTally();
  const inFlight = makeInFlight(request.concurrency ?? usuallyInFlight);
  let position: Position | null = null;
  let atLine = 0;
  const remember = (newer: Position | null) => {
    if (newer !== null && (position === null || comparePositions(newer, position) > 0)) position = newer;
  };
  const result = () => ({ counts: tally.counts(), position });
  try {
    for await (const lines of readLines(request.input, request.firstLine))
      for (const line of lines) {
        atLine = line.number;
        const parsed = parseLine(request.schema, line);
        if (parsed.ok) {
          const full = inFlight.start(parsed.value.id, async () =>
            remember(await recordLine(request, tally, line.number, parsed.value)),
          );
          if (full) await full;
        } else tally.refused(line.number, parsed.problems);
        request.onProgress?.({ lines: line.number, bytes: line.endsAtByte, counts: tally.soFar });
      }
    await inFlight.drain();
    return result();
  } catch (cause) {
    await inFlight.drain().catch(() => undefined); // the failure is `cause` already
    return { ...result(), stopped: { atLine, cause } };
  }
};

const parseLine = <T>(schema: z.ZodType<ParsedRecord<T>>, line: ImportLine) =>
  'text' in line
    ? parseRecord(schema, line.text)
    : ({ ok: false, problems: [{ field: null, message: line.problem }] } as const);

const recordLine = async <T>(
  { record, organizationId, onFailure }: ImportRequest<T>,
  tally: Tally,
  line: number,
  parsed: ParsedRecord<T>,
): Promise<Position | null> => {
  let outcome: RecordOutcome;
  try {
    outcome = await record({ organizationId, ...parsed }, line);
  } catch (cause) {
    if (cause instanceof EventStoreUnavailable || cause instanceof AppendOutcomeUnknown) throw cause;
    onFailure?.(line, cause);
    tally.refused(line, [failed]);
    return null;
  }
  if (outcome.ok) tally.done(outcome.value.effect);
  // A newer version is already stored, from this file or another source: importing a file twice must change nothing.
  else if (outcome.refusal === 'older-version') tally.done('outdated');
  else tally.refused(line, [outcome.refusal === 'record-erased' ? forgotten : conflict]);
  return outcome.ok ? outcome.value.position : null;
};

const conflict: RecordProblem = {
  field: 'version',
  message: 'must be higher: this version is stored already with other content',
};

const forgotten: RecordProblem = {
  field: 'id',
  message: 'the person was erased; remove the record instead',
};

const failed: RecordProblem = {
  field: null,
  message: 'could not be stored; the log on standard error says why',
};
