import type { Scope } from '../../../domain/access/scope.ts';
import { moment, nameOf, shortTime, table } from '../../pages/components.ts';
import { markup, type Html, type Part } from '../../pages/html.ts';
import { english, words } from '../../pages/words.ts';
import { auditHref, historyPage, type QuestionsView } from './history-filters.ts';

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
  { here: '/audit/exposure', heading: 'Reads of' },
  (view) => {
    const { answer, waiting, problems } = view;
    if (waiting) return waitingFor(waiting);
    if (answer !== null) return answerOf(view, answer);
    return problems.length === 0 && markup`<p class="soft">Choose an add-on.</p>`;
  },
  (view) => ({ refresh: view.waiting?.again ?? null }),
);

const waitingFor = ({ again, events, upTo, isBusy }: NonNullable<ExposureView['waiting']>): Html =>
  markup`<section class="card" aria-labelledby="waits">
<h2 id="waits">The answer is being prepared</h2>
<p role="status">${
    isBusy
      ? 'Other answers are being prepared; this one is next.'
      : markup`${events.toLocaleString('en')} events read${upTo !== null && markup`, up to ${moment(english(), upTo)}`}.`
  }</p>
<p class="soft">This page shows the answer as soon as it is ready. <a href="${again}">Reload</a></p>
</section>`;

type Answer = NonNullable<ExposureView['answer']>;

const answerOf = (
  view: ExposureView,
  answer: Answer,
): Html => markup`<section class="card" aria-labelledby="could">
<h2 id="could">What <bdi>${answer.addon}</bdi> could read</h2>
<p class="soft small">From ${moment(english(), answer.from)} to ${moment(english(), answer.to)}.</p>
${answer.intervals.length === 0 ? markup`<p>Nothing.</p>` : intervalsOf(view, answer)}
</section>
<section class="card" aria-labelledby="did">
<h2 id="did">What it read</h2>
<p class="soft small">Counted since ${moment(english(), answer.countedSince)}, hour by hour; reads of the last 30 seconds may be missing.</p>
${answer.reads.length === 0 ? markup`<p>Nothing.</p>` : readsOf(view, answer)}
${answer.unattributed > 0 && markup`<p class="small">In addition, ${answer.unattributed} pages were read whose add-on is unknown, because there were too many at once to count separately.</p>`}
${answer.more && markup`<p class="small">Not all rows are shown: narrow the period, or ask the operator for <code>grantbook audit exposure</code>.</p>`}
</section>
<p class="soft small">This search was recorded in the audit log.</p>
`;

const intervalsOf = ({ now }: ExposureView, { intervals }: Answer): Part =>
  table(
    'Access that was open, and how many records the lists held',
    [
      { label: 'Records of', cell: ({ subject }) => nameOf(subject) },
      { label: 'Opened', cell: ({ scope }) => words.scopeWords([scope]) },
      { label: 'From', from: 'm', cell: ({ opened }) => shortTime(english(now), opened) },
      {
        label: 'To',
        from: 'm',
        cell: ({ closed }) => (closed === null ? 'still open at the end' : shortTime(english(now), closed)),
      },
      { label: 'Records', isNumber: true, cell: ({ records }) => records ?? 'no list' },
    ],
    intervals,
  );

const readsOf = (view: ExposureView, { reads }: Answer): Part =>
  table(
    'Returned pages, and their number of records',
    [
      {
        label: 'List',
        cell: ({ list, grantId }) =>
          markup`<a href="${auditHref(view, '/audit', { grant: grantId })}">${list}</a>`,
      },
      { label: 'Pages', from: 'm', isNumber: true, cell: ({ pages }) => pages },
      { label: 'Records', isNumber: true, cell: ({ records }) => records },
      { label: 'From where', from: 'm', cell: ({ networks }) => networks.join(', ') || 'not known' },
      {
        label: 'When',
        cell: ({ from, until }) =>
          markup`${shortTime(english(view.now), from)} to ${shortTime(english(view.now), until)}`,
      },
    ],
    reads,
  );
