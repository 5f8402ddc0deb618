import { access } from 'node:fs/promises';
import { Interrupted } from '../../audit/interrupted.ts';
import { organizationEvents } from '../../audit/export/organization-events.ts';
import { NotExportable, positionOrNull, writeExport } from '../../audit/export/write-export.ts';
import { writeWholeFile } from '../../audit/export/write-whole-file.ts';
import { positionText } from '../../audit/position-text.ts';
import type { Manifest } from '../../audit/export/format.ts';
import { organizationExists } from '../../commands/organization-exists.ts';
import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import { answer, refused, sheet, type Answer } from '../answer.ts';
import type { CliIo } from '../cli-io.ts';
import { leaf, type AddCommands } from '../define.ts';
import { parseId, parsePositionOption } from '../option-values.ts';
import { noteQuery } from './note-query.ts';
import { withService, type CliService } from '../service.ts';

type Options = {
  readonly organization: string;
  readonly from?: Position;
  readonly until?: Position;
  readonly output: string;
};

export const addAuditExport: AddCommands = (audit, io, run) => {
  const command = leaf(audit, 'export', 'write all events of an organization into a file that proves itself');
  command
    .requiredOption('--organization <organization>', 'organization_id', parseId)
    .option('--from <position>', 'first position, as commit/prepare', parsePositionOption)
    .option('--until <position>', 'last position', parsePositionOption)
    .requiredOption('-o, --output <file>', 'where to; must not be there yet')
    .addHelpText(
      'after',
      '\nNDJSON; docs/audit-export.md specifies it. `grantbook audit verify FILE` checks it, offline.',
    )
    .action((options: Options) =>
      run(async () => {
        if (options.from && options.until && comparePositions(options.from, options.until) > 0)
          return command.error('error: --from lies behind --until');
        return withService(io, (service) => exportTo(io, service, options));
      }),
    );
};

const exportTo = async (io: CliIo, service: CliService, options: Options): Promise<Answer> => {
  const { organization, output } = options;
  if (!(await organizationExists(service.store, organization)))
    return refused('organization-unknown', `no organization has the organization_id ${organization}`);
  if (
    await access(output).then(
      () => true,
      () => false,
    )
  )
    return refused('file-exists', `${output} is there already, and an export overwrites nothing`);
  await noteQuery(service, 'export', {
    organizationId: organization,
    parameters: {
      ...(options.from && { from: positionText(options.from) }),
      ...(options.until && { until: positionText(options.until) }),
    },
  });
  // What comes into the log from here on belongs into the next export.
  const head = await service.store.head();
  const until = options.until && head && comparePositions(options.until, head) < 0 ? options.until : head;
  const from = options.from ?? null;
  try {
    const manifest = await writeWholeFile(
      output,
      writeExport({
        events: until
          ? organizationEvents(service.store, {
              organizationId: organization,
              from,
              until,
              signal: io.signal,
            })
          : none(),
        open: async (events) =>
          (await service.personal.open(events)).map(({ personal, fields }) =>
            personal === 'none' ? null : { personal, fields },
          ),
        sign: service.sign,
        about: {
          organization,
          from: positionOrNull(from),
          until: positionOrNull(until),
          exportedBy: 'operator',
        },
        now: () => Date.now(),
      }),
    );
    return answer({ file: output, ...inSnakeCase(manifest) }, present(output, manifest));
  } catch (error) {
    if (error instanceof Interrupted)
      return refused('interrupted', 'the export was interrupted: there is no file');
    if (error instanceof NotExportable) return refused('not-exportable', error.message);
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code) && 'path' in (error as object))
      return refused('not-written', `${output} cannot be written (${code})`);
    throw error;
  }
};

async function* none(): AsyncGenerator<never> {}

const inSnakeCase = ({ exportedBy, exportedAt, ...manifest }: Manifest) => ({
  ...manifest,
  exported_by: exportedBy,
  exported_at: exportedAt,
});

const present = (file: string, { events, until, root }: Manifest): string =>
  sheet({ file, events: String(events), until: until ?? 'the log is empty', root });
