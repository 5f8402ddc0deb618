import type { Json } from '../../../tasks/task.ts';
import type { Count } from '../../../projections/operations/counts.ts';
import type { OperatorStatus } from '../../../projections/operations/status.ts';
import { card, empty, field, head } from '../../pages/components.ts';
import { markup, type Html } from '../../pages/html.ts';
import { list, type ListColumn } from '../../pages/list.ts';
import { page, type PageView } from '../../pages/render.ts';
import type { Reader } from '../../words/reader.ts';
import { summaryHtml } from './status-page.ts';

type Place = {
  readonly href: string;
  readonly label: string;
  /** Null where it is not known. */
  readonly count: Count | null;
};

type Found = {
  readonly label: string;
  readonly columns: readonly ListColumn<Json>[];
  readonly rows: readonly Json[];
  /** Where all that match are; null where these are all. */
  readonly more: string | null;
};

export type OperatorPageView = PageView & {
  readonly status: OperatorStatus;
  /** What waits for somebody, each with where it is. */
  readonly work: readonly Html[];
  readonly lists: readonly Place[];
  readonly search: string;
  /** What the search found; null without one. */
  readonly found: readonly Found[] | null;
  readonly latest: readonly Html[];
};

/** The operators' home: whether the service works, a search over everything, numbers, and the latest decisions (PG-06). */
export const operatorPage = page<OperatorPageView>(
  ({ reader }) => reader.words.operator.title,
  (view) => {
    const { operator: t } = view.reader.words;
    return markup`${head(t.title)} ${summaryHtml(view.reader, view.status, `${view.base}/operator/status`)}
${view.work.length > 0 && card(view.reader.words.admin.attention, markup`<ul class="plainlist">${view.work.map((line) => markup`<li>${line}</li>`)}</ul>`, 'attention')}
<form class="filters alone" method="get" action="${view.base}/operator" role="search">
<div>
${field({
  id: 'search',
  name: 'search',
  kind: 'search',
  label: t.searchAll,
  value: view.search,
  isLabelHidden: true,
})}
</div>
<div class="actions"><button type="submit">${t.search}</button></div>
</form>
${view.found === null ? null : results(view.reader, view.found)}
<ul class="grid">
${view.lists.toSorted(countedFirst).map((place) => placeOf(view.reader, place))}
</ul>
${card(
  t.latest,
  view.latest.length === 0
    ? empty(t.noLatest)
    : markup`<ol class="plainlist">
${view.latest.map((line) => markup`<li>${line}</li>`)}
</ol>`,
  'latest-grants',
)}`;
  },
  () => ({ wide: true }),
);

const countedFirst = (one: Place, other: Place): number =>
  Number(one.count === null) - Number(other.count === null);

const placeOf = ({ number, words: { operator: t } }: Reader, { href, label, count }: Place): Html =>
  markup`<li class="card">
<a href="${href}">${label}</a>${
    count &&
    markup`<div class="number">${t.counted(number(count.count), count.isMore)}</div>
${count.lately !== null && count.before !== null && markup`<div class="soft small">${t.lately(number(count.lately), number(count.before))}</div>`}`
  }
</li>`;

const results = ({ words: { operator: t } }: Reader, found: readonly Found[]): Html =>
  found.length === 0
    ? markup`<section class="card" role="status">
${empty(t.nothingFound)}
</section>`
    : markup`${found.map(
        ({ label, columns, rows, more }) =>
          markup`<section class="card" role="status">
<h2>${label}</h2>
${list(label, columns, rows)}${more && markup`<p class="note"><a href="${more}">${t.allThatMatch}</a></p>`}
</section>
`,
      )}`;
