import type { Actor, Because, Named, TimelineEntry } from '../../../audit/timeline/timeline.ts';
import type { SentenceContext } from '../../../domain/describe-event.ts';
import { eventSentence } from '../../../domain/events.ts';
import { isScope } from '../../../domain/access/scope.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import { link, onTime, timeOf } from '../../pages/components.ts';
import { filled, markup, type Html } from '../../pages/html.ts';
import { auditHref, historyOf, type QuestionsView } from './history-filters.ts';
import { access } from '../../words/access.ts';

export const codeOf = (text: string): Html => markup`<code>${text}</code>`;

type Slot = (part: Html) => string;

/** What an entry of a timeline says: names and grants lead to the events about them, in place of their ids. */
export const entrySentence = (view: QuestionsView, entry: TimelineEntry): Html => {
  const { words } = view.reader;
  const t = words.auditLog;
  const { source, actor, because } = entry;
  if (source === 'newer-version') return markup`${t.newerVersion(entry.type)}`;
  if (source === 'unreadable') return markup`${t.unreadable(entry.type)}`;
  const isSearch = source.event.type === 'AuditQueried';
  const mentioned = new Set<string>();
  const naming = (kind: Named['kind'], slot: Slot) => (id: string) => {
    mentioned.add(id);
    const name = source.names.get(id) ?? null;
    if (name === null) return isSearch ? t.notHere : id;
    return slot(linkTo(view, entry, { kind, id, name }));
  };
  const contextWith = (slot: Slot): SentenceContext => ({
    words: words.events,
    streamId: source.streamId,
    owner: source.owner,
    organization: naming('organization', slot),
    addon: naming('addon', slot),
    user: naming('user', slot),
    grant: (id) => {
      const addonId = source.grants.get(id);
      const grant = slot(link(eventsHref(view, { grant: id }), t.grant));
      if (!isSearch) return grant;
      return addonId === undefined ? t.notHere : t.grantOf(grant, naming('addon', slot)(addonId));
    },
    period: view.reader.period,
    time: (at) => slot(timeOf(view.reader, new Date(at).toISOString())),
    scopes: (scopes) =>
      scopes.every(isScope) ? access(view.reader, scopes, { person: null }) : scopes.join(' '),
  });
  const what = filled((slot) => eventSentence(source.event, contextWith(slot)));
  const soft = filled((slot) => {
    // Who acted is often named by what happened.
    const isNamed = actor !== null && 'id' in actor && mentioned.has(actor.id);
    const linked: Naming = (of) => linkTo(view, entry, of);
    const by = isNamed ? null : actorText(view, actor, slot, linked);
    const why = because && reasonOf(view, because, slot, linked);
    return [...(by === null ? [] : [t.by(by)]), ...(why === null ? [] : [t.because(why)])].join(', ');
  });
  return markup`${what}${soft.html !== '' && markup` · <span class="soft">${soft}</span>`}`;
};

type Naming = (of: { readonly kind: 'user' | 'addon'; readonly id: string; readonly name: string }) => Html;

const actorText = (
  { reader }: QuestionsView,
  actor: Actor | null,
  slot: Slot,
  link: Naming,
): string | null => {
  if (actor === null) return null;
  if (actor.kind !== 'user' && actor.kind !== 'addon') return reader.words.auditLog.actors[actor.kind];
  const { kind, id, name } = actor;
  return name === null ? id : slot(link({ kind, id, name }));
};

/** Why something happened, with the time and the actor of what caused it. */
export const reasonOf = (
  view: QuestionsView,
  { kind, cause, given }: Because,
  slot: Slot,
  link: Naming = ({ name }) => markup`<bdi>${name}</bdi>`,
): string => {
  const t = view.reader.words.auditLog;
  const withCause = (reason: string) =>
    cause
      ? t.reasonWith(reason, slot(onTime(view.reader, cause.time)), actorText(view, cause.actor, slot, link))
      : reason;
  return [
    ...(kind === null ? [] : [withCause(t.reasons[kind])]),
    ...(given === null ? [] : [markName(given)]),
  ].join(': ');
};

const linkTo = (
  view: QuestionsView,
  { concerns, actor }: TimelineEntry,
  { kind, id, name }: { readonly kind: Named['kind']; readonly id: string; readonly name: string },
): Html => {
  const shown = markup`<bdi>${name}</bdi>`;
  if (kind === 'organization') return shown;
  if (concerns.some((one) => one.id === id)) return link(eventsHref(view, { [kind]: id }), shown);
  return actor?.kind === 'user' && actor.id === id ? link(eventsHref(view, { actor: id }), shown) : shown;
};

export const eventsHref = (view: QuestionsView, filter: Readonly<Record<string, string>>): string =>
  view.forAdministrators
    ? `${view.base}${historyOf(view.organization)}?${new URLSearchParams(filter).toString()}`
    : auditHref(view, '/audit', filter);
