import { eventIdOf } from '../../common/event-id.ts';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type {
  KeyedBatch,
  RecordCommands,
  RecordOutcome,
  RecordRequest,
} from '../../commands/records/record.ts';
import type { AnyRecord, RecordDescription } from '../../domain/records/record-resource.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import { recordSchema } from '../records/schemas.ts';
import { runImport, type ImportRequest, type ImportResult } from './run-import.ts';

type Task = Omit<ImportRequest<AnyRecord>, 'schema' | 'record'> & { readonly keyed?: KeyedBatch };

export const importWith = (
  commands: RecordCommands,
  resource: RecordResource,
  { keyed, ...task }: Task,
  context?: CommandContext,
): Promise<ImportResult> => {
  const record = commands[`record${resource.name}`] as (
    request: RecordRequest<AnyRecord>,
    context?: CommandContext,
  ) => Promise<RecordOutcome>;
  const schema = recordSchema<RecordDescription>(resource);
  const lineOf = (line: number): Pick<RecordRequest<AnyRecord>, 'line'> =>
    keyed ? { line: { eventId: eventIdOf(keyed.id, String(line)), isRepeat: keyed.isRepeat } } : {};
  return runImport({
    ...task,
    schema,
    record: (request, line) => record({ ...request, ...lineOf(line) }, context),
  });
};
