import type { ComparedHead } from '#verify';
import type { Asked } from '../../tasks/audit-questions.ts';
import { placeInLog } from '../export/place-in-log.ts';
import { NotExportable, positionOrNull, writeExport, type PlacedEvent } from '../export/write-export.ts';
import { Interrupted } from '../interrupted.ts';
import { earlierLogOf, headsByLog } from '../log-copies/earlier-heads.ts';
import { LogChanged } from '../log-heads/sign-head.ts';
import { sizeAt } from '../log-tiles/log-tree.ts';
import { TilesDamaged } from '../log-tiles/tile.ts';
import { positionText } from '../timeline/position-text.ts';
import { organizationExists } from '../../commands/organizations/find-named-organization.ts';
import { comparePositions, type Position, type StoredEvent } from '../../eventstore/event-store.ts';
import { requireInLog } from './log-positions.ts';
import { noteQuery } from './note-query.ts';
import { refusedQuestion, type AuditService, type How, type Refused } from './service.ts';

/** The lines of an export, or why there is none. The manifest is the last line. */
export const askExport = async (
  service: AuditService,
  asked: Asked<'export'>,
  { signal, passed = () => undefined }: How,
): Promise<AsyncIterable<string> | Refused> => {
  const { organization } = asked;
  const head = headOf(asked);
  const earlier = head && earlierLogOf(await headsByLog(service.store), head);
  if (earlier)
    return refusedQuestion(
      'head-of-another-log',
      `the head of --head belongs to the log from which this one was copied at ${new Date(earlier.copy.at).toISOString()}, and its positions are not valid here. Create a head of this log: grantbook audit head -o FILE`,
    );
  // Events that are appended from now on belong to the next export.
  const end = await service.store.head();
  if (!end || !(await organizationExists(service.store, organization)))
    return refusedQuestion('organization-unknown', `no organization has the organization_id ${organization}`);
  const absent = await requireInLog(service, [
    { option: '--from', position: asked.from },
    { option: '--until', position: asked.until },
  ]);
  if (absent) return absent;
  await noteQuery(service, 'export', {
    organizationId: organization,
    parameters: {
      ...(asked.from && { from: positionText(asked.from) }),
      ...(asked.until && { until: positionText(asked.until) }),
    },
  });
  const until = asked.until ?? end;
  const first = asked.from ?? null;
  const range = { until, signal };
  try {
    const all = service.audit.organizationEvents(organization, range);
    const exported = from(first, counted(all, passed));
    const source = head
      ? await placed(service, exported, { head, ...range })
      : { events: inNoPlace(exported) };
    return writeExport({
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
    });
  } catch (error) {
    const refusal = exportRefusal(error);
    if (refusal === null) throw error;
    return refusal;
  }
};

/** What an export that has begun was refused for; null for every other failure. */
export const exportRefusal = (error: unknown): Refused | null => {
  if (error instanceof Interrupted)
    return refusedQuestion('interrupted', 'the export was interrupted: there is no file');
  if (error instanceof LogChanged || error instanceof TilesDamaged)
    return refusedQuestion('log-changed', error.message);
  return error instanceof NotExportable ? refusedQuestion('not-exportable', error.message) : null;
};

/** The head was verified by whoever sent it: only what it says of the log counts here. */
const headOf = ({ head_size: size, head_root: root }: Asked<'export'>): ComparedHead | null =>
  size === undefined || root === undefined ? null : { name: 'the head of --head', size, root };

const placed = async (
  { store, logHeads }: AuditService,
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
