import type { CommandContext } from '../../commands/kernel/context.ts';
import type { RecordCommands, RecordOutcome, RecordRequest } from '../../commands/records/record.ts';
import type { AnyRecord, RecordDescription } from '../../domain/records/record-resource.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import { recordSchema } from '../../kafka/records/schemas.ts';
import { runImport, type ImportRequest, type ImportResult } from './run-import.ts';

type Task = Omit<ImportRequest<AnyRecord>, 'schema' | 'record'>;

export const importWith = (
  commands: RecordCommands,
  resource: RecordResource,
  task: Task,
  context?: CommandContext,
): Promise<ImportResult> => {
  const record = commands[`record${resource.name}`] as (
    request: RecordRequest<AnyRecord>,
    context?: CommandContext,
  ) => Promise<RecordOutcome>;
  const schema = recordSchema<RecordDescription>(resource);
  return runImport({ ...task, schema, record: (request) => record(request, context) });
};
