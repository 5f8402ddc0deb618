import { isScope, type Scope } from '../../../domain/access/scope.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import { moment, nameOf, shortTime, table } from '../../pages/components.ts';
import { filled, markup, type Html, type Part } from '../../pages/html.ts';
import type { Reader } from '../../words/reader.ts';
import { codeOf } from './entry-sentence.ts';
import { auditHref, historyPage, said, type QuestionsView } from './history-filters.ts';
import { accessInShort } from '../../words/access.ts';

/** Times are RFC 3339. */
export type ExposureView = QuestionsView & {
  readonly answer: {
    readonly addon: string;
    readonly from: string;
    readonly to: string;
    readonly intervals: readonly {
      readonly subject: string;
      readonly scope: Scope;
      readonly opened: string;
      readonly closed: string | null;
      readonly records: number | null;
    }[];
    readonly reads: readonly {
      readonly grantId: string;
      readonly list: string;
      readonly pages: number;
      readonly records: number;
      readonly networks: readonly string[];
      readonly from: string;
      readonly until: string;
    }[];
    readonly more: boolean;
    readonly countedSince: string;
    readonly unattributed: number;
  } | null;
  readonly waiting?: {
    /** The address that has the answer, or how far it is. */
    readonly again: string;
    readonly events: number;
    /** The time up to which the log was read; null before the first event. */
    readonly upTo: string | null;
    readonly isBusy: boolean;
  };
};

export const exposurePage = historyPage<ExposureView>(
  { here: 'exposure' },
  (view) => {
    const { answer, waiting, problems, reader } = view;
    if (waiting) return waitingFor(reader, waiting);
    if (answer !== null) return answerOf(reader, view, answer);
    return problems.length === 0 && markup`<p class="soft">${reader.words.auditLog.chooseAddon}</p>`;
  },
  (view) => ({ refresh: view.waiting?.again ?? null }),
);

type Waiting = NonNullable<ExposureView['waiting']>;

const waitingFor = (reader: Reader, { again, events, upTo, isBusy }: Waiting): Html => {
  const t = reader.words.auditLog;
  const read = filled((slot) => t.eventsRead(events, upTo && slot(moment(reader, upTo))));
  return markup`<section class="card" aria-labelledby="waits">
<h2 id="waits">${t.preparing}</h2>
<p role="status">${isBusy ? t.othersFirst : read}</p>
<p class="soft">${t.asSoonAsReady} <a href="${again}">${t.reload}</a></p>
</section>`;
};

type Answer = NonNullable<ExposureView['answer']>;

const answerOf = (reader: Reader, view: ExposureView, answer: Answer): Html => {
  const t = reader.words.auditLog;
  const command = codeOf('grantbook audit exposure');
  const time = (at: string) => moment(reader, at);
  return markup`<section class="card" aria-labelledby="could">
<h2 id="could">${said(t.could(markName(answer.addon)))}</h2>
<p class="soft small">${filled((slot) => t.between(slot(time(answer.from)), slot(time(answer.to))))}</p>
${answer.intervals.length === 0 ? markup`<p>${t.nothingAlone}</p>` : intervalsOf(reader, answer)}
</section>
<section class="card" aria-labelledby="did">
<h2 id="did">${t.did}</h2>
<p class="soft small">${filled((slot) => t.countedSince(slot(time(answer.countedSince))))}</p>
${answer.reads.length === 0 ? markup`<p>${t.nothingAlone}</p>` : readsOf(reader, view, answer)}
${answer.unattributed > 0 && markup`<p class="small">${t.unattributed(answer.unattributed)}</p>`}
${answer.more && markup`<p class="small">${filled((slot) => t.moreRows(slot(command)))}</p>`}
</section>
<p class="soft small">${t.recorded}</p>
`;
};

const intervalsOf = (reader: Reader, { intervals }: Answer): Part => {
  const t = reader.words.auditLog;
  return table(
    t.access,
    [
      { label: t.recordsOf, cell: ({ subject }) => nameOf(subject) },
      { label: t.opened, cell: ({ scope }) => accessInShort(reader, [scope]) },
      { label: t.from, from: 'm', cell: ({ opened }) => shortTime(reader, opened) },
      {
        label: t.to,
        from: 'm',
        cell: ({ closed }) => (closed === null ? t.stillOpen : shortTime(reader, closed)),
      },
      { label: t.records, isNumber: true, cell: ({ records }) => records ?? t.noList },
    ],
    intervals,
  );
};

const listWords = (reader: Reader, list: string): string => {
  const scope = `${list}:read`;
  return isScope(scope) ? accessInShort(reader, [scope]) : list;
};

const readsOf = (reader: Reader, view: ExposureView, { reads }: Answer): Part => {
  const t = reader.words.auditLog;
  return table(
    t.returned,
    [
      {
        label: t.list,
        cell: ({ list, grantId }) =>
          markup`<a href="${auditHref(view, '/audit', { grant: grantId })}">${listWords(reader, list)}</a>`,
      },
      { label: t.pagesRead, from: 'm', isNumber: true, cell: ({ pages }) => pages },
      { label: t.records, isNumber: true, cell: ({ records }) => records },
      { label: t.fromWhere, from: 'm', cell: ({ networks }) => networks.join(', ') || t.notKnown },
      {
        label: t.when,
        cell: ({ from, until }) =>
          filled((slot) => t.fromTo(slot(shortTime(reader, from)), slot(shortTime(reader, until)))),
      },
    ],
    reads,
  );
};
