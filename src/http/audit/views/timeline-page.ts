import type { Named, TimelineEntry, Told } from '../../../audit/timeline/timeline.ts';
import { shortEventOf, stateWords } from '../../../audit/timeline/notifications.ts';
import type { Scope } from '../../../domain/access/scope.ts';
import type { Sentence } from '../../../domain/kernel/sentence.ts';
import { empty, facts, link, moment, nameOf } from '../../pages/components.ts';
import { dayOf } from '../../pages/words.ts';
import { markup, type Html, type Part } from '../../pages/html.ts';
import { en } from '../../words/en.ts';
import { english, words } from '../../pages/words.ts';
import { auditHref, historyOf, historyPage, type QuestionsView } from './history-filters.ts';

type Entry = TimelineEntry & { readonly by: Sentence | null; readonly place: string };

export type TimelineView = QuestionsView & {
  /** The oldest first; shown from the newest. */
  readonly entries: readonly Entry[];
  /** Addresses under `base`, with the same filters; null if there is no page there. */
  readonly earlier: string | null;
  readonly later: string | null;
  /** The log position that this page has reached; newer events are not included. */
  readonly upTo: string | null;
  /** Months that are not included. */
  readonly archived: readonly string[];
};

export const timelinePage = historyPage<TimelineView>({ here: '/audit', heading: 'History of' }, (view) =>
  view.problems.length > 0 ? null : shown(view),
);

const shown = (view: TimelineView): Html => {
  const { base, entries, earlier, later, upTo, archived } = view;
  return markup`<section class="card" aria-labelledby="entries">
<h2 id="entries">${later === null ? 'Events, from the newest' : 'Events'}</h2>
${archived.length > 0 && markup`<p role="status">Not complete: the history of ${archived.join(', ')} is archived. An operator can bring it back.</p>`}
${
  entries.length === 0
    ? empty('No events match these filters.')
    : daysOf(entries).map(
        ([day, some]) => markup`<h3 class="day">${day}</h3>
<ol class="events">${some.map((entry) => eventOf(view, entry))}</ol>
`,
      )
}
${(earlier ?? later) !== null && markup`<nav class="ways" aria-label="Pages"><span>${later !== null && markup`<a class="button plain" href="${base}${later}">Later</a>`}</span>${earlier !== null && markup`<a class="button plain" href="${base}${earlier}">Earlier</a>`}</nav>`}
</section>
<p class="soft small">This search was recorded in the audit log.${upTo !== null && markup` Includes events up to position <code>${upTo}</code>.`}</p>
`;
};

/** From the newest day; the events of a day from the newest. */
const daysOf = (entries: readonly Entry[]): readonly (readonly [string, readonly Entry[]])[] => {
  const days = new Map<string, Entry[]>();
  for (const entry of entries.toReversed()) {
    const day = dayOf(entry.time);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
};

const eventOf = (view: TimelineView, entry: Entry): Html => {
  const { time, words: said, by, why, actor } = entry;
  // Who acted is often named by what happened.
  const isNamed = actor !== null && 'id' in actor && said.some(({ text }) => text.includes(`(${actor.id})`));
  const shownBy = isNamed ? null : by;
  return markup`<li>
<time datetime="${time}">${time.slice(11, 16)}</time><div>
${linked(view, entry, said)}${(shownBy ?? why) !== null && ' · '}<span class="soft">${shownBy !== null && markup`by ${linked(view, entry, shownBy)}`}${why !== null && markup`${shownBy !== null && ', '}because ${linked(view, entry, why)}`}</span>
${entry.told.map(toldOf)}<details><summary>Details</summary>${detailsOf(view, entry)}</details></div>
</li>
`;
};

const toldOf = (
  told: Told,
): Html => markup`<div class="small">Message to ${told.addon.name === null ? told.addon.id : markup`<bdi>${told.addon.name}</bdi> (${told.addon.id})`}: ${shortEventOf(told)}, ${stateWords(told)}${told.acknowledgedAt !== null && markup` on ${moment(english(), told.acknowledgedAt)}`} <span class="soft">(jti <code>${told.jti}</code>)</span></div>
`;

const detailsOf = (view: TimelineView, entry: Entry): Html =>
  facts(english(), [
    { label: 'Time', value: moment(english(), entry.time) },
    ...entry.concerns.map((one) => ({ label: kindWords[one.kind], value: concernOf(view, one) })),
    ...(entry.tokenId === null
      ? []
      : [
          {
            label: 'By a program',
            value: markup`with the administrator token <code>${entry.tokenId}</code>`,
          },
        ]),
    {
      label: 'Event',
      value: markup`<code>${entry.type}</code> in <code>${entry.stream}@${entry.revision.toString()}</code>`,
    },
    { label: 'Position', value: markup`<code class="place">${entry.place}</code>` },
  ]);

const kindWords: Readonly<Record<Named['kind'], string>> = {
  addon: 'Add-on',
  grant: 'Grant',
  organization: 'Organization',
  user: 'User',
};

/** The id that follows a name in a sentence. */
const idAfterName = /^ \(([0-9A-HJKMNP-TV-Z]{26})\)/;

/** A sentence whose names lead to the events about them, in place of the ids that follow them. */
const linked = (view: TimelineView, entry: Entry, sentence: Sentence): Html =>
  markup`${sentence.map(({ kind, text }, index) => {
    const idOf = (part: Sentence[number] | undefined) =>
      part?.kind === 'words' ? idAfterName.exec(part.text)?.[1] : undefined;
    if (kind === 'words')
      return plain(view, sentence[index - 1]?.kind === 'name' ? text.replace(idAfterName, '') : text);
    const name = markup`<bdi>${text}</bdi>`;
    const href = hrefOf(view, entry, idOf(sentence[index + 1]));
    return href === null ? name : link(href, name);
  })}`;

/** Ids of grants, times and scopes, which sentences spell as programs do. */
const spelled =
  /\bgrant ([0-9A-HJKMNP-TV-Z]{26})\b|\b(\d{4}-\d\d-\d\dT[\d:.]+Z)|\b((?:[a-z]+(?:-[a-z]+)*:read)(?: [a-z-]+:read)*)/g;

const plain = (view: TimelineView, text: string): Part => {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(spelled)) {
    const [whole, grant, time, scopes] = match;
    parts.push(text.slice(end, match.index));
    if (grant !== undefined) parts.push(link(eventsHref(view, { grant }), 'grant'));
    else if (time !== undefined) parts.push(moment(english(), time));
    else parts.push(scopesIn(scopes ?? ''));
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
};

const scopesIn = (text: string): string => {
  const scopes = text.split(' ');
  return scopes.every((scope) => Object.hasOwn(en.scopes, scope))
    ? words.scopeWords(scopes as Scope[])
    : text;
};

const hrefOf = (view: TimelineView, { concerns, actor }: Entry, id: string | undefined): string | null => {
  if (id === undefined) return null;
  const kind = concerns.find((one) => one.id === id)?.kind;
  if (kind === 'organization') return null;
  if (kind !== undefined) return eventsHref(view, { [kind]: id });
  return actor?.kind === 'user' && actor.id === id ? eventsHref(view, { actor: id }) : null;
};

const eventsHref = (view: TimelineView, filter: Readonly<Record<string, string>>): string =>
  view.forAdministrators
    ? `${view.base}${historyOf(view.organization)}?${new URLSearchParams(filter).toString()}`
    : auditHref(view, '/audit', filter);

/** Leads to the events about it alone. */
const concernOf = (view: TimelineView, { kind, id, name }: Named): Part => {
  const code = markup`<code class="id">${id}</code>`;
  const shownName = name !== null && markup`${nameOf(name)} `;
  if (kind === 'organization') return markup`${shownName}${code}`;
  const href = eventsHref(view, { [kind]: id });
  return markup`${shownName}${code} <a href="${href}">Only this<span class="hidden"> ${kindWords[kind]}</span></a>`;
};
