import { addon, type About, type Owner } from '../../domain/event-subjects.ts';
import { subjectsOf, describeEvent } from '../../domain/events.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import { codec } from '../../eventstore/codec/codec.ts';
import type { RecordedEvent, StoredEvent } from '../../eventstore/event-store.ts';
import type { ReadNames } from '../../projections/kernel/names.ts';
import type { SentenceContext } from '../../domain/describe-event.ts';
import type { ReadEvent } from '../read-events.ts';
import { markName, sentenceOf, type Sentence } from '../../domain/kernel/sentence.ts';
import type { Actor, EndReason, Named, TimelineEntry } from './timeline.ts';
import { describeEnd, type CauseOf } from './revocation-cause.ts';
import { actorOf, actorWords, nameWithId } from './words.ts';
import { toldFrom, type ToldAt } from './notifications.ts';

/** An event to show, with the owner of its stream. */
export type Found = ReadEvent & { readonly owner: Owner | null };

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
    found.map(async ({ stored, recorded, owner }) => ({
      stored,
      recorded,
      owner,
      cause: recorded && (await causeOf(recorded, owner)),
      sets: toldAt(stored.position),
    })),
  );
  const mentioned = caused.flatMap(({ recorded, owner, cause, sets }) => [
    ...(recorded ? mentionedIn(recorded, owner) : []),
    ...(cause ? actorsIn(cause) : []),
    ...sets.map(({ addonId }) => addon(addonId)),
  ]);
  const known = await names(mentioned);
  return caused.map(({ stored, recorded, owner, cause, sets }) => ({
    ...(recorded ? entryOf(recorded, owner, cause, known) : unreadable(stored)),
    told: sets.map((set) => toldFrom(set, known)),
  }));
};

/** Ids that were searched for are not named: otherwise the searcher would learn the name, from any organization. */
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
  owner: Owner | null,
  cause: RecordedEvent | null,
  names: ReadonlyMap<string, string>,
): Omit<TimelineEntry, 'told'> => {
  const streamId = idOf(event.stream);
  const telling = tellingWith(names, streamId, owner);
  return {
    ...placeOf({ ...event, type: event.event.type }),
    actor: actorIn(event, names),
    tokenId: event.metadata.tokenId ?? null,
    words: describeEvent(event.event, telling),
    why: whyOf(event, cause, names),
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

const isOfNewerVersion = ({ type, metadata }: StoredEvent): boolean =>
  !codec.knows(type) || Number((metadata as { readonly v?: unknown } | null)?.v) > codec.versionOf(type);

const unreadable = (stored: StoredEvent): Omit<TimelineEntry, 'told'> => ({
  ...placeOf(stored),
  actor: null,
  tokenId: null,
  words: sentenceOf(
    isOfNewerVersion(stored)
      ? `An event of a newer version: ${stored.type}. This version cannot describe it.`
      : `An event of the type ${stored.type}, which cannot be decoded.`,
  ),
  why: null,
  concerns: [],
});

export const named = (about: About, names: ReadonlyMap<string, string>): Named => ({
  ...about,
  name: names.get(about.id) ?? null,
});

/** The same as a part of a sentence. */
const markedNameWithId = ({ id, name }: { readonly id: string; readonly name: string | null }): string =>
  nameWithId({ id, name: name && markName(name) });

const tellingWith = (
  names: ReadonlyMap<string, string>,
  streamId: string,
  owner: Owner | null,
): SentenceContext => {
  const say = (id: string) => markedNameWithId({ id, name: names.get(id) ?? null });
  return { streamId, owner, organization: say, addon: say, user: say };
};

export const actorIn = (
  { metadata, event }: RecordedEvent,
  names: ReadonlyMap<string, string>,
): Actor | null => {
  const actor = metadata.actor ?? ('by' in event.data ? event.data.by : undefined);
  if (actor === undefined) return null;
  return actorOf(actor, names);
};

export const actorSentence = (actor: Actor | null): Sentence | null => {
  const marked = actorWords(actor, markedNameWithId);
  return marked === null ? null : sentenceOf(marked);
};

/** Why a grant has ended, and who ended it. */
export const whyEndedBy = (
  reason: EndReason,
  cause: RecordedEvent | null,
  names: ReadonlyMap<string, string>,
  given?: string,
): Sentence =>
  sentenceOf(
    describeEnd(reason, cause, cause && actorWords(actorIn(cause, names), markedNameWithId)) +
      (given === undefined ? '' : `: ${markName(given)}`),
  );

const whyOf = (
  { event, metadata }: RecordedEvent,
  cause: RecordedEvent | null,
  names: ReadonlyMap<string, string>,
): Sentence | null => {
  const { reason } = metadata; // an operator's own words, isolated as names are
  if (event.type === 'GrantRevoked') return whyEndedBy(event.data.reason, cause, names, reason);
  if (event.type === 'TokensWithheld') return sentenceOf('the add-on was suspended');
  if (event.type === 'AuthorizationRefused') return sentenceOf('the add-on was not active');
  return reason === undefined ? null : sentenceOf(markName(reason));
};
