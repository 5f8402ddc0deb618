import { access } from 'node:fs/promises';
import { type Manifest, readHead, type ComparedHead } from '@grantbook/verify';
import { placeInLog } from '../../audit/export/place-in-log.ts';
import {
  NotExportable,
  positionOrNull,
  writeExport,
  type PlacedEvent,
} from '../../audit/export/write-export.ts';
import { writeWholeFile } from '../../audit/export/write-whole-file.ts';
import { Interrupted } from '../../audit/interrupted.ts';
import { earlierLogOf, headsByLog } from '../../audit/log-copies/earlier-heads.ts';
import { LogChanged } from '../../audit/log-heads/sign-head.ts';
import { sizeAt } from '../../audit/log-tiles/size-at.ts';
import { TilesDamaged } from '../../audit/log-tiles/tile.ts';
import { parsePosition, positionText } from '../../audit/timeline/position-text.ts';
import { organizationExists } from '../../commands/organizations/organization-exists.ts';
import { comparePositions, type Position, type StoredEvent } from '../../eventstore/event-store.ts';
import { answer, refused, sheet, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { parseId, parsePositionOption } from '../base/option-values.ts';
import { withNamedOptions } from '../base/named-options.ts';
import { withService, type CliService } from '../base/service.ts';
import { requireInLog } from './log-positions.ts';
import { noteQuery } from './note-query.ts';
import { showEventsRead } from '../base/progress.ts';

type Options = {
  readonly organization: string;
  readonly from?: Position;
  readonly until?: Position;
  readonly output: string;
  readonly head?: string;
};

export const addAuditExport: AddCommands = (audit, io, run) => {
  const command = leaf(audit, 'export', 'export all events of an organization into a verifiable file');
  command
    .requiredOption('--organization <organization>', 'organization_id', parseId)
    .option('--from <position>', 'first position, as commit/prepare', parsePositionOption)
    .option('--until <position>', 'last position', parsePositionOption)
    .requiredOption('-o, --output <file>', 'output file; must not exist')
    .option('--head <file>', 'prove that the events are in the log of this head')
    .addHelpText(
      'after',
      '\nNDJSON; docs/reference/audit-export.md specifies it. `grantbook audit verify FILE` checks it, offline.',
    )
    .action((options: Options) =>
      run(async () => {
        if (options.from && options.until && comparePositions(options.from, options.until) > 0)
          return command.error('error: --from is after --until');
        const head = options.head === undefined ? null : await readHead(options.head, null);
        if (head && 'unreadable' in head)
          return command.error(`error: --head ${options.head} ${head.unreadable}`);
        if (head && 'bad' in head) return refused('bad-head', `the head of ${options.head} ${head.bad}`);
        const early = head && untilBefore(options.until, head);
        if (early) return refused('until-before-head', early);
        return withService(
          io,
          (service) => withNamedOptions(service, options, (given) => exportTo(io, service, given, head)),
          'auditor',
        );
      }),
    );
};

/** An export that ends before the head's last event cannot show that the log has grown from the head; null otherwise. */
const untilBefore = (until: Position | undefined, { position }: ComparedHead): string | null => {
  const end = position === undefined ? null : parsePosition(position);
  return until && end && comparePositions(until, end) < 0
    ? `--until ${positionText(until)} is before ${position}, the last event covered by the head of --head: omit --until, or use that position or a later one`
    : null;
};

const exportTo = async (
  io: CliIo,
  service: CliService,
  options: Options,
  head: ComparedHead | null,
): Promise<Answer> => {
  const { organization, output } = options;
  const earlier = head && earlierLogOf(await headsByLog(service.store), head);
  if (earlier)
    return refused(
      'head-of-another-log',
      `the head of --head belongs to the log from which this one was copied at ${new Date(earlier.copy.at).toISOString()}, and its positions are not valid here. Create a head of this log: grantbook audit head -o FILE`,
    );
  // Events that are appended from now on belong to the next export.
  const end = await service.store.head();
  if (!end || !(await organizationExists(service.store, organization)))
    return refused('organization-unknown', `no organization has the organization_id ${organization}`);
  if (
    await access(output).then(
      () => true,
      () => false,
    )
  )
    return refused('file-exists', `${output} already exists; an export does not overwrite files`);
  const absent = await requireInLog(service, [
    { option: '--from', position: options.from },
    { option: '--until', position: options.until },
  ]);
  if (absent) return absent;
  await noteQuery(service, 'export', {
    organizationId: organization,
    parameters: {
      ...(options.from && { from: positionText(options.from) }),
      ...(options.until && { until: positionText(options.until) }),
    },
  });
  const until = options.until ?? end;
  const first = options.from ?? null;
  const range = { until, signal: io.signal };
  const progress = showEventsRead(io.stderr);
  try {
    const all = service.audit.organizationEvents(organization, range);
    const exported = from(first, counted(all, progress.passed));
    const source = head
      ? await placed(service, exported, { head, ...range })
      : { events: inNoPlace(exported) };
    const manifest = await writeWholeFile(
      output,
      writeExport({
        ...source,
        open: async (events) =>
          (await service.personal.decrypt(events)).map(({ personal, fields }) =>
            personal === 'none' ? null : { personal, fields },
          ),
        sign: service.sign,
        about: {
          organization,
          from: positionOrNull(first),
          until: positionOrNull(until),
          exportedBy: service.actor.by,
        },
        now: () => Date.now(),
      }),
    );
    return answer({ file: output, ...inSnakeCase(manifest) }, present(output, manifest));
  } catch (error) {
    if (error instanceof Interrupted)
      return refused('interrupted', 'the export was interrupted: there is no file');
    if (error instanceof LogChanged || error instanceof TilesDamaged)
      return refused('log-changed', error.message);
    if (error instanceof NotExportable) return refused('not-exportable', error.message);
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code) && 'path' in (error as object))
      return refused('not-written', `${output} cannot be written (${code})`);
    throw error;
  } finally {
    progress.end();
  }
};

const placed = async (
  { store, logHeads }: CliService,
  exported: AsyncIterable<StoredEvent>,
  {
    head,
    until,
    signal,
  }: { readonly head: ComparedHead; readonly until: Position; readonly signal: AbortSignal },
) => {
  const tree = await logHeads.tree(signal);
  // Events after the last exported one may have been removed: the head must not cover more than the log had up to
  // `until`.
  const size = Math.max(await sizeAt(store, tree, until, signal), head.size);
  return placeInLog(exported, tree, Math.min(size, tree.size()), head);
};

async function* from(
  first: Position | null,
  events: AsyncIterable<StoredEvent>,
): AsyncGenerator<StoredEvent> {
  for await (const event of events)
    if (first === null || comparePositions(event.position, first) >= 0) yield event;
}

async function* counted(
  events: AsyncIterable<StoredEvent>,
  passed: (event: StoredEvent) => void,
): AsyncGenerator<StoredEvent> {
  for await (const event of events) {
    passed(event);
    yield event;
  }
}

async function* inNoPlace(events: AsyncIterable<StoredEvent>): AsyncGenerator<PlacedEvent> {
  for await (const event of events) yield { event };
}

const inSnakeCase = ({ exportedBy, exportedAt, ...manifest }: Manifest) => ({
  ...manifest,
  exported_by: exportedBy,
  exported_at: exportedAt,
});

const present = (file: string, { events, until, root }: Manifest): string =>
  sheet({ file, events: String(events), until: until ?? 'the log is empty', root });
