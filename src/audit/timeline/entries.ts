import { english } from '../../common/words.ts';
import { addon, type About, type Owner } from '../../domain/event-subjects.ts';
import { subjectsOf, describeEvent } from '../../domain/events.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import { isOfNewerVersion } from '../../eventstore/codec/codec.ts';
import type { RecordedEvent, StoredEvent } from '../../eventstore/event-store.ts';
import type { ReadNames } from '../../projections/kernel/names.ts';
import { spelled, type SentenceContext } from '../../domain/describe-event.ts';
import type { ReadEvent } from '../read-events.ts';
import { sentenceOf } from '../../domain/kernel/sentence.ts';
import type { Actor, Because, Named, TimelineEntry } from './timeline.ts';
import { whySentence, type CauseOf } from './revocation-cause.ts';
import { actorOf, markedNameWithId } from './words.ts';
import { toldFrom, type ToldAt } from './notifications.ts';
import type { Searched } from './searched.ts';

export type Found = ReadEvent & {
  readonly owner: Owner | null;
  /** Of a search: what it was for, as far as it is named. */
  readonly searched?: readonly Searched[];
};

export type EntryDependencies = {
  readonly names: ReadNames;
  readonly causeOf: CauseOf;
  readonly toldAt: ToldAt;
};

export const entriesOf = async (
  { names, causeOf, toldAt }: EntryDependencies,
  found: readonly Found[],
): Promise<readonly TimelineEntry[]> => {
  const caused = await Promise.all(
    found.map(async ({ stored, recorded, owner, searched = [] }) => ({
      stored,
      recorded,
      owner,
      searched,
      cause: recorded && (await causeOf(recorded, owner)),
      sets: toldAt(stored.position),
    })),
  );
  const mentioned = caused.flatMap(({ recorded, owner, searched, cause, sets }) => [
    ...(recorded ? mentionedIn(recorded, owner) : []),
    ...searched.flatMap(({ about, ofAddon }) => [about, ...(ofAddon === null ? [] : [addon(ofAddon)])]),
    ...(cause ? actorsIn(cause) : []),
    ...sets.map(({ addonId }) => addon(addonId)),
  ]);
  const known = await names(mentioned);
  const grants = new Map(
    caused.flatMap(({ searched }) =>
      searched.flatMap(({ about, ofAddon }) => (ofAddon === null ? [] : [[about.id, ofAddon] as const])),
    ),
  );
  return caused.map(({ stored, recorded, owner, cause, sets }) => ({
    ...(recorded ? entryOf(recorded, { owner, cause }, known, grants) : unreadable(stored)),
    told: sets.map((set) => toldFrom(set, known)),
  }));
};

/** What was searched for is named only where it is `searched`: otherwise the searcher would learn the name, from any organization. */
const mentionedIn = (event: RecordedEvent, owner: Owner | null): readonly About[] => {
  const concerned = subjectsOf(event.event, { streamId: idOf(event.stream), owner });
  if (event.event.type !== 'AuditQueried') return [...concerned, ...actorsIn(event)];
  const { organizationId } = event.event.data;
  return [...concerned.filter(({ id }) => id === organizationId), ...actorsIn(event)];
};

const actorsIn = (event: RecordedEvent): readonly About[] => {
  const actor = actorIn(event, new Map());
  return actor?.kind === 'user' || actor?.kind === 'addon' ? [{ kind: actor.kind, id: actor.id }] : [];
};

const entryOf = (
  event: RecordedEvent,
  { owner, cause }: { readonly owner: Owner | null; readonly cause: RecordedEvent | null },
  names: ReadonlyMap<string, string>,
  grants: ReadonlyMap<string, string>,
): Omit<TimelineEntry, 'told'> => {
  const streamId = idOf(event.stream);
  const telling = tellingWith(names, streamId, owner);
  const because = becauseOf(event, cause, names);
  return {
    ...placeOf({ ...event, type: event.event.type }),
    act: actOf(event),
    actor: actorIn(event, names),
    tokenId: event.metadata.tokenId ?? null,
    words: describeEvent(event.event, telling),
    why: because && whySentence(because),
    source: { event: event.event, streamId, owner, names, grants },
    because,
    concerns: subjectsOf(event.event, { streamId, owner }).map((about) => named(about, names)),
  };
};

const placeOf = ({
  position,
  created,
  stream,
  revision,
  id,
  type,
}: Pick<StoredEvent, 'position' | 'created' | 'stream' | 'revision' | 'id' | 'type'>) => ({
  position,
  time: new Date(created).toISOString(),
  stream,
  revision,
  eventId: id,
  type,
});

const unreadable = (stored: StoredEvent): Omit<TimelineEntry, 'told'> => ({
  ...placeOf(stored),
  act: [stored.id],
  actor: null,
  tokenId: null,
  words: sentenceOf(
    isOfNewerVersion(stored)
      ? english.auditLog.newerVersion(stored.type)
      : english.auditLog.unreadable(stored.type),
  ),
  why: null,
  source: isOfNewerVersion(stored) ? 'newer-version' : 'unreadable',
  because: null,
  concerns: [],
});

const actOf = ({ id, metadata: { traceparent, causationId } }: RecordedEvent): readonly string[] =>
  [causationId, traceparent, id].filter((part) => part !== undefined);

export const named = (about: About, names: ReadonlyMap<string, string>): Named => ({
  ...about,
  name: names.get(about.id) ?? null,
});

const tellingWith = (
  names: ReadonlyMap<string, string>,
  streamId: string,
  owner: Owner | null,
): SentenceContext => {
  const say = (id: string) => markedNameWithId({ id, name: names.get(id) ?? null });
  return { ...spelled, streamId, owner, organization: say, addon: say, user: say };
};

export const actorIn = (
  { metadata, event }: RecordedEvent,
  names: ReadonlyMap<string, string>,
): Actor | null => {
  const actor = metadata.actor ?? ('by' in event.data ? event.data.by : undefined);
  if (actor === undefined) return null;
  return actorOf(actor, names);
};

export const causeIn = (cause: RecordedEvent | null, names: ReadonlyMap<string, string>): Because['cause'] =>
  cause && {
    time: new Date(cause.created).toISOString(),
    actor: actorIn(cause, names),
    place: `${cause.stream}@${cause.revision}`,
  };

const becauseOf = (
  { event, metadata }: RecordedEvent,
  caused: RecordedEvent | null,
  names: ReadonlyMap<string, string>,
): Because | null => {
  const because = (kind: Because['kind'], given: string | null = null): Because => ({
    kind,
    cause: causeIn(caused, names),
    given,
  });
  const { reason = null } = metadata;
  if (event.type === 'GrantRevoked') return because(event.data.reason, reason);
  if (event.type === 'TokensWithheld') return because('addon-suspended');
  if (event.type === 'AuthorizationRefused') return because('addon-not-active');
  return reason === null ? null : because(null, reason);
};
