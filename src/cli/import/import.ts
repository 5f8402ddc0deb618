import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { pause } from '../../common/backoff.ts';
import { type RecordField } from '../../domain/records/record-resource.ts';
import { recordId } from '../../domain/kernel/ids.ts';
import { recordsInWords } from '../../domain/records/each-record.ts';
import { recordResources, type RecordResource } from '../../domain/records/record-resources.ts';
import { refused, refusedAs, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { showImport } from './progress.ts';
import { reportImport, wasInterrupted } from './report.ts';
import type { ImportResult } from '../../kafka/import/run-import.ts';
import { parseId } from '../base/option-values.ts';
import { importerOver, type Importer } from './importer.ts';
import { snakeCase } from '../../domain/kernel/snake-case.ts';

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
      .requiredOption('--organization <organization>', 'organization whose records these are', parseId)
      .action((file: string, options: Options) =>
        run(async () => {
          const source = await openSource(io, file);
          if (typeof source === 'string')
            return command.error(`error: the file ${file} cannot be read: ${source}`);
          const importer = importerOver(await io.openApi('operator'), {
            now: () => performance.now(),
            pause: (ms) => pause(ms, io.signal),
          });
          try {
            return await importRecords(io, importer, resource, source, options);
          } finally {
            await importer.close();
          }
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
      .map(([name, field]) => [snakeCase(name), ...noteOn(field)].join(' '))
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
  importer: Importer,
  resource: RecordResource,
  source: Source,
  { organization: text }: Options,
): Promise<Answer> => {
  const found = await importer.organization(text);
  if (!found.ok) return refusedAs(found);
  if (found.value === null)
    return refused('organization-unknown', `no organization has the organization_id ${text}`);
  const organization = String(found.value.json['organization_id']);
  const progress = showImport(io.stderr, source.bytes);
  const startedAt = performance.now();
  try {
    const result = await importer.run({
      resource,
      organizationId: organization,
      input: addAbortSignal(io.signal, source.open()) as AsyncIterable<Buffer>,
      onProgress: progress.update,
      onWait: (why, seconds) => progress.note(`${why}; trying again in ${seconds} s`),
      onFailure: (line, cause) =>
        progress.note(`line ${line}: ${cause instanceof Error ? cause.name : 'failure'}`),
    });
    const storedAt = performance.now();
    const visible = await isVisible(importer, result, { signal: io.signal, onHeadway: progress.waits });
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

/** After an interruption it does not wait. */
const isVisible = async (
  importer: Importer,
  result: ImportResult,
  waiting: Parameters<Importer['isVisible']>[1],
): Promise<boolean> => {
  const { position, stopped } = result;
  if (position === null) return true;
  if (stopped !== undefined && wasInterrupted(stopped)) return false;
  waiting.onHeadway(null);
  return importer.isVisible(result, waiting);
};
