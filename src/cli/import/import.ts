import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import {
  type AnyRecord,
  type RecordDescription,
  type RecordField,
  wireName,
} from '../../domain/records/record-resource.ts';
import { recordId } from '../../domain/kernel/ids.ts';
import { recordsInWords } from '../../domain/records/each-record.ts';
import { recordResources, type RecordResource } from '../../domain/records/record-resources.ts';
import type { RecordOutcome, RecordRequest } from '../../commands/records/record.ts';
import { refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { showImport } from './progress.ts';
import { reportImport, wasInterrupted } from './report.ts';
import { runImport, type ImportResult } from './run-import.ts';
import { recordSchema } from '../../kafka/records/schemas.ts';
import { parseId } from '../base/option-values.ts';
import { organizationExists } from '../../commands/organizations/organization-exists.ts';
import { withNamedOptions } from '../base/named-options.ts';
import { withService, type CliService } from '../base/service.ts';
import type { WaitForProjectionsOptions } from '../base/wait-for-projections.ts';

type Options = { readonly organization: string };

export const addImportCommands: AddCommands = (program, io, run) => {
  const group = program
    .command('import')
    .description(`record ${recordsInWords} of the host platform from NDJSON`);
  for (const resource of recordResources) {
    const { path } = resource;
    const command = leaf(group, path, `import ${path}, one JSON object a line`);
    command
      .addHelpText('after', helpOn(fieldsText(resource)))
      .argument('<file>', 'the file, or - for standard input')
      .requiredOption('--organization <organization>', 'organization_id whose records these are', parseId)
      .action((file: string, options: Options) =>
        run(async () => {
          const source = await openSource(io, file);
          if (typeof source === 'string')
            return command.error(`error: the file ${file} cannot be read: ${source}`);
          return withService(io, (service) =>
            withNamedOptions(service, options, (given) =>
              importRecords(io, service, resource, source, given),
            ),
          );
        }),
      );
  }
};

/** The fields of a line in addition to id and version. */
const fieldsText = ({ fields }: RecordResource): string => {
  const all = Object.entries<RecordField>(fields);
  const named = (optional: boolean) =>
    all
      .filter(([, field]) => (field.optional ?? false) === optional)
      .map(([name, field]) => [wireName(name), ...noteOn(field)].join(' '))
      .join(', ');
  return [named(false), named(true)].filter((some) => some !== '').join('; optional ');
};

const noteOn = (field: RecordField): readonly string[] => {
  const note = field.kind === 'one-of' ? field.values.join(', ') : field.note;
  return note === undefined ? [] : [`(${note})`];
};

const helpOn = (fields: string) => `
An id is ${recordId.allowed}, taken as it is: P1 and p1 are two records.
Fields: id, version, ${fields}.
{"id": …, "version": …, "deleted": true} removes a record; times are RFC 3339.
A refused line is reported and does not stop the import; the exit code is then 1. Running the same file again changes nothing.
Ctrl-C finishes pending lines and prints a summary; run it again to continue. A second Ctrl-C ends at once.`;

type Source = { readonly open: () => Readable; readonly bytes: number | null };

/** @returns why the source cannot be read, in words */
const openSource = async (io: CliIo, file: string): Promise<Source | string> => {
  if (file === '-') return { open: () => io.stdin, bytes: null };
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) return found.code === 'ENOENT' ? 'no such file' : (found.code ?? found.name);
  if (found.isDirectory()) return 'it is a directory';
  const unreadable = await access(file, constants.R_OK).catch(() => 'permission denied');
  if (unreadable !== undefined) return unreadable;
  return { open: () => createReadStream(file), bytes: found.isFile() ? found.size : null };
};

const importRecords = async (
  io: CliIo,
  service: CliService,
  resource: RecordResource,
  source: Source,
  { organization }: Options,
): Promise<Answer> => {
  if (!(await organizationExists(service.store, organization))) {
    return refused('organization-unknown', `no organization has the organization_id ${organization}`);
  }
  const record = service.commands[`record${resource.name}`] as (
    request: RecordRequest<AnyRecord>,
  ) => Promise<RecordOutcome>;
  const progress = showImport(io.stderr, source.bytes);
  const startedAt = performance.now();
  try {
    const result = await runImport({
      input: addAbortSignal(io.signal, source.open()) as AsyncIterable<Buffer>,
      organizationId: organization,
      schema: recordSchema<RecordDescription>(resource),
      record,
      onProgress: progress.update,
      onFailure: (line, cause) =>
        progress.note(`line ${line}: ${cause instanceof Error ? cause.name : 'failure'}`),
    });
    const storedAt = performance.now();
    const visible = await isVisible(service, result, { signal: io.signal, onHeadway: progress.waits });
    return reportImport({
      resource: resource.path,
      organization,
      result,
      visible,
      seconds: (storedAt - startedAt) / 1000,
      visibleAfterSeconds: (performance.now() - storedAt) / 1000,
    });
  } finally {
    progress.end();
  }
};

/** Waits as long as the lists make progress; after an interruption it does not wait. */
const isVisible = async (
  service: CliService,
  { position, stopped }: ImportResult,
  waiting: Required<Pick<WaitForProjectionsOptions, 'signal' | 'onHeadway'>>,
): Promise<boolean> => {
  if (position === null) return true;
  if (stopped !== undefined && wasInterrupted(stopped)) return false;
  waiting.onHeadway(0);
  return service.settle(position, { ...waiting, patience: 3, atMostMs: Infinity });
};
