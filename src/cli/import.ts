import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import type { z } from 'zod';
import type { RecordOutcome, RecordRequest } from '../commands/record.ts';
import { accessRightStatuses } from '../domain/access-right.ts';
import { reservationStatuses } from '../domain/reservation.ts';
import { refused, type Answer } from './answer.ts';
import type { CliIo } from './cli-io.ts';
import { leaf, type AddCommands } from './define.ts';
import type { ParsedRecord } from '../records/parse-record.ts';
import { showProgress } from './import/progress.ts';
import { reportImport, wasInterrupted } from './import/report.ts';
import { runImport, type ImportResult } from './import/run-import.ts';
import { accessRightRecord, profileRecord, reservationRecord } from '../records/schemas.ts';
import { parseId } from './option-values.ts';
import { organizationExists } from '../commands/organization-exists.ts';
import { withService, type CliService } from './service.ts';
import type { WaitForProjectionsOptions } from './wait-for-projections.ts';

type Options = { readonly organization: string };

type Resource<T> = {
  readonly name: string;
  /** What a line holds beside id and version, for the help. */
  readonly fields: string;
  readonly schema: z.ZodType<ParsedRecord<T>>;
  readonly record: (request: RecordRequest<T>, service: CliService) => Promise<RecordOutcome>;
};

export const addImportCommands: AddCommands = (program, io, run) => {
  const group = program
    .command('import')
    .description('record profiles, reservations and access rights of the host platform from NDJSON');
  const add = <T>(resource: Resource<T>) => {
    const command = leaf(group, resource.name, `import ${resource.name}, one JSON object a line`);
    command
      .addHelpText('after', helpOn(resource.fields))
      .argument('<file>', 'the file, or - for standard input')
      .requiredOption('--organization <organization>', 'organization_id whose records these are', parseId)
      .action((file: string, options: Options) =>
        run(async () => {
          const source = await openSource(io, file);
          if (typeof source === 'string')
            return command.error(`error: the file ${file} cannot be read: ${source}`);
          return withService(io, (service) => importRecords(io, service, resource, source, options));
        }),
      );
  };
  add({
    name: 'profiles',
    fields: 'name, email; optional user_id (of the user whose own lists show it), phone, locale, external_id',
    schema: profileRecord,
    record: (request, { commands }) => commands.recordProfile(request),
  });
  add({
    name: 'reservations',
    fields: `profile_id, resource, starts_at, ends_at, status (${reservationStatuses.join(', ')}); optional title, note`,
    schema: reservationRecord,
    record: (request, { commands }) => commands.recordReservation(request),
  });
  add({
    name: 'access-rights',
    fields: `profile_id, opens, valid_from, status (${accessRightStatuses.join(', ')}); optional valid_until, reservation_id`,
    schema: accessRightRecord,
    record: (request, { commands }) => commands.recordAccessRight(request),
  });
};

const helpOn = (fields: string) => `
Fields: id, version, ${fields}.
{"id": …, "version": …, "deleted": true} removes a record; times are RFC 3339.
A line that is refused is named and does not stop the rest; the exit code is then 1. Running the same file again changes nothing.
Ctrl-C finishes what has begun and says what was done; run it again to go on. A second Ctrl-C ends at once.`;

type Source = { readonly open: () => Readable; readonly bytes: number | null };

/** @returns why not, in words, where there is nothing to read */
const openSource = async (io: CliIo, file: string): Promise<Source | string> => {
  if (file === '-') return { open: () => io.stdin, bytes: null };
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    return found.code === 'ENOENT' ? 'there is no such file' : (found.code ?? found.name);
  if (found.isDirectory()) return 'it is a directory';
  const unreadable = await access(file, constants.R_OK).catch(() => 'permission denied');
  if (unreadable !== undefined) return unreadable;
  return { open: () => createReadStream(file), bytes: found.isFile() ? found.size : null };
};

const importRecords = async <T>(
  io: CliIo,
  service: CliService,
  resource: Resource<T>,
  source: Source,
  { organization }: Options,
): Promise<Answer> => {
  if (!(await organizationExists(service.store, organization))) {
    return refused('organization-unknown', `no organization has the organization_id ${organization}`);
  }
  const progress = showProgress(io.stderr, source.bytes);
  const startedAt = performance.now();
  try {
    const result = await runImport({
      input: addAbortSignal(io.signal, source.open()) as AsyncIterable<Buffer>,
      organizationId: organization,
      schema: resource.schema,
      record: (request) => resource.record(request, service),
      onProgress: progress.update,
      onFailure: (line, cause) =>
        progress.note(`line ${line}: ${cause instanceof Error ? cause.name : 'failure'}`),
    });
    const storedAt = performance.now();
    const visible = await isVisible(service, result, { signal: io.signal, onHeadway: progress.waits });
    return reportImport({
      resource: resource.name,
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

/** As long as the lists make headway: a million records may take their time. Who interrupts does not want to wait for them. */
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
