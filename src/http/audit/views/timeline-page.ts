import type { Named, TimelineEntry, Told } from '../../../audit/timeline/timeline.ts';
import { shortEventOf } from '../../../audit/timeline/notifications.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import { empty, facts, moment, nameOf, type FactRow } from '../../pages/components.ts';
import { filled, markup, type Html, type Part } from '../../pages/html.ts';
import type { Reader } from '../../words/reader.ts';
import { codeOf, entrySentence, eventsHref } from './entry-sentence.ts';
import { historyPage, type QuestionsView } from './history-filters.ts';

type Entry = TimelineEntry & { readonly place: string };

export type TimelineView = QuestionsView & {
  /** The oldest first; shown from the newest. */
  readonly entries: readonly Entry[];
  /** Addresses under `base`, with the same filters; null if there is no page there. */
  readonly earlier: string | null;
  readonly later: string | null;
  /** The same as files; null where there is nothing to put into one. */
  readonly files: { readonly csv: string; readonly ndjson: string } | null;
  /** The log position that this page has reached; newer events are not included. */
  readonly upTo: string | null;
  /** Months that are not included. */
  readonly dropped: readonly string[];
};

export const timelinePage = historyPage<TimelineView>({ here: 'history' }, (view) =>
  view.problems.length > 0 ? null : shown(view),
);

const shown = (view: TimelineView): Html => {
  const { base, entries, earlier, later, upTo, dropped, reader } = view;
  const t = reader.words.auditLog;
  return markup`<section class="card" aria-labelledby="entries">
<h2 id="entries">${later === null ? t.newest : t.events}</h2>
${dropped.length > 0 && markup`<p role="status">${t.dropped(dropped.join(', '))}</p>`}
${
  entries.length === 0
    ? empty(t.noEvents)
    : daysOf(reader, entries).map(
        ([day, some]) => markup`<h3 class="day">${day}</h3>
<ol class="events">${some.map((entry) => eventOf(view, entry))}</ol>
`,
      )
}
${(earlier ?? later) !== null && markup`<nav class="ways" aria-label="${t.pages}"><span>${later !== null && markup`<a class="button plain" href="${base}${later}">${t.later}</a>`}</span>${earlier !== null && markup`<a class="button plain" href="${base}${earlier}">${t.earlier}</a>`}</nav>`}
</section>
${filesOf(view)}<p class="soft small">${t.listIn(reader.timeZone)} ${t.recorded}${upTo !== null && markup` ${filled((slot) => t.includes(slot(codeOf(upTo))))}`}</p>
`;
};

const filesOf = ({ base, files, forAdministrators, organization, reader }: TimelineView): Part => {
  const t = reader.words.auditLog;
  const command = codeOf(`grantbook audit export --organization ${organization.organizationId} -o FILE`);
  return (
    files &&
    markup`<p class="small unprinted">${t.downloads} <a href="${base}${files.csv}" download>${t.csv}</a> · <a href="${base}${files.ndjson}" download>${t.ndjson}</a>${!forAdministrators && markup`<br>${filled((slot) => t.withProof(slot(command)))}`}</p>
`
  );
};

/** From the newest day; the events of a day from the newest. */
const daysOf = (
  { dayOf }: Reader,
  entries: readonly Entry[],
): readonly (readonly [string, readonly Entry[]])[] => {
  const days = new Map<string, Entry[]>();
  for (const entry of entries.toReversed()) {
    const day = dayOf(entry.time);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
};

const eventOf = (view: TimelineView, entry: Entry): Html => markup`<li>
<time datetime="${entry.time}">${view.reader.clockOf(entry.time)}</time><div>
${entrySentence(view, entry)}${entry.told.map((told) => messageOf(view.reader, told))}<details><summary>${view.reader.words.auditLog.details}</summary>${detailsOf(view, entry)}</details></div>
</li>
`;

const messageOf = (reader: Reader, told: Told): Html => {
  const { addon, jti, state, acknowledgedAt } = told;
  const t = reader.words.auditLog;
  const name = addon.name === null ? addon.id : `${markName(addon.name)} (${addon.id})`;
  const text = filled((slot) => {
    if (acknowledgedAt === null) return t.message(name, shortEventOf(told), t.messageStates[state]);
    const known = t.messageStates[state === 'waiting' ? 'waiting-again' : state];
    return t.message(name, shortEventOf(told), t.messageOn(known, slot(moment(reader, acknowledgedAt))));
  });
  return markup`<div class="small">${text} <span class="soft">${filled((slot) => t.jti(slot(codeOf(jti))))}</span></div>
`;
};

const detailsOf = (view: TimelineView, entry: Entry): Html => {
  const { reader } = view;
  const t = reader.words.auditLog;
  const fact = (name: keyof typeof t.facts, value: Part): FactRow => ({ label: t.facts[name], value });
  const { tokenId, because } = entry;
  return facts(reader, [
    fact('time', markup`${moment(reader, entry.time)} <span class="soft">${codeOf(entry.time)}</span>`),
    ...entry.concerns.map((one) => fact(one.kind, concernOf(view, one))),
    ...(tokenId === null
      ? []
      : [
          fact(
            'program',
            filled((slot) => t.withToken(slot(codeOf(tokenId)))),
          ),
        ]),
    ...(because?.cause ? [fact('cause', codeOf(because.cause.place))] : []),
    fact(
      'event',
      filled((slot) =>
        t.eventIn(slot(codeOf(entry.type)), slot(codeOf(`${entry.stream}@${entry.revision.toString()}`))),
      ),
    ),
    fact('position', markup`<code class="place">${entry.place}</code>`),
  ]);
};

/** Leads to the events about it alone. */
const concernOf = (view: TimelineView, { kind, id, name }: Named): Part => {
  const code = markup`<code class="id">${id}</code>`;
  const shownName = name !== null && markup`${nameOf(name)} `;
  if (kind === 'organization') return markup`${shownName}${code}`;
  const t = view.reader.words.auditLog;
  return markup`${shownName}${code} <a href="${eventsHref(view, { [kind]: id })}">${t.onlyThis}<span class="hidden"> ${t.facts[kind]}</span></a>`;
};
