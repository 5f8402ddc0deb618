import type { Named, TimelineEntry, Told } from '../../../audit/timeline/timeline.ts';
import { shortEventOf } from '../../../audit/timeline/notifications.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import { empty, facts, moment, nameOf, type FactRow } from '../../pages/components.ts';
import { filled, markup, type Html, type Part } from '../../pages/html.ts';
import type { Reader } from '../../words/reader.ts';
import { codeOf, entrySentence, eventsHref } from './entry-sentence.ts';
import { auditHref, historyPage, type QuestionsView } from './history-filters.ts';

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
    : daysOf(reader, actsOf(entries)).map(
        ([day, some]) => markup`<h3 class="day">${day}</h3>
<ol class="events">${some.map((act) => lineOf(view, act))}</ol>
`,
      )
}
${(earlier ?? later) !== null && markup`<nav class="ways" aria-label="${t.pages}"><span>${later !== null && markup`<a class="button plain" href="${base}${later}">${t.later}</a>`}</span>${earlier !== null && markup`<a class="button plain" href="${base}${earlier}">${t.earlier}</a>`}</nav>`}
</section>
${filesOf(view)}<p class="soft small">${t.recorded}${upTo !== null && markup` ${filled((slot) => t.includes(slot(codeOf(upTo))))}`}</p>
`;
};

const filesOf = (view: TimelineView): Part => {
  const { base, files, forAdministrators, reader } = view;
  const t = reader.words.auditLog;
  const proof = forAdministrators
    ? t.proofByAuditors
    : markup`${t.withProof} <a href="${auditHref(view, '/audit/export.ndjson')}" download>${t.exportAll}</a>`;
  return (
    files &&
    markup`<p class="small unprinted">${t.downloads} <a href="${base}${files.csv}" download>${t.csv}</a> · <a href="${base}${files.ndjson}" download>${t.ndjson}</a><br>${proof}</p>
`
  );
};

/** The events of one act, in their order. */
type Act = Entry[];

const actsOf = (entries: readonly Entry[]): ReadonlySet<Act> => {
  const acts = new Map<string, Act>();
  for (const entry of entries) {
    const known = entry.act.map((part) => acts.get(part)).find((act) => act !== undefined);
    const act = known ?? [];
    act.push(entry);
    for (const part of entry.act) acts.set(part, act);
  }
  return new Set(acts.values());
};

/** From the newest day; the acts of a day from the newest. */
const daysOf = (
  { dayOf }: Reader,
  acts: ReadonlySet<Act>,
): readonly (readonly [string, readonly Act[]])[] => {
  const days = new Map<string, Act[]>();
  for (const act of [...acts].toReversed()) {
    const day = dayOf(act[0]?.time ?? '');
    days.set(day, [...(days.get(day) ?? []), act]);
  }
  return [...days];
};

/** The event with which it began; what followed is in its details. */
const lineOf = (view: TimelineView, [first, ...others]: Act): Part =>
  first &&
  markup`<li>
<time datetime="${first.time}">${view.reader.clockOf(first.time)}</time><div>
<div class="line">${entrySentence(view, first)}</div><details><summary>${view.reader.words.auditLog.details(others.length)}</summary>${detailsOf(view, first)}${others.map((entry) => markup`<p class="note">${entrySentence(view, entry)}</p>${detailsOf(view, entry)}`)}</details></div>
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

const detailsOf = (view: TimelineView, entry: Entry): readonly Html[] => {
  const { reader } = view;
  const t = reader.words.auditLog;
  const fact = (name: keyof typeof t.facts, value: Part): FactRow => ({ label: t.facts[name], value });
  const { tokenId, because } = entry;
  const messages = entry.told.map((told) => messageOf(reader, told));
  const rows = facts(reader, [
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
  return [...messages, rows];
};

/** Leads to the events about it alone. */
const concernOf = (view: TimelineView, { kind, id, name }: Named): Part => {
  const code = markup`<code class="id">${id}</code>`;
  const shownName = name !== null && markup`${nameOf(name)} `;
  if (kind === 'organization') return markup`${shownName}${code}`;
  const t = view.reader.words.auditLog;
  return markup`${shownName}${code} <a href="${eventsHref(view, { [kind]: id })}">${t.onlyThis}<span class="hidden"> ${t.facts[kind]}</span></a>`;
};
