import type { Json } from '../../../administration/task.ts';
import type { OperatorStatus } from '../../../projections/operations/status.ts';
import { card, empty, field, head, table, type Column } from '../../pages/components.ts';
import { markup, type Html } from '../../pages/html.ts';
import { page, type PageView } from '../../pages/render.ts';
import { summaryHtml } from './status-page.ts';

type Place = {
  /** Complete. */
  readonly href: string;
  readonly label: string;
  /** Null where it is not known. */
  readonly count: { readonly count: number; readonly isMore: boolean; readonly lately: number } | null;
};

type Found = {
  readonly label: string;
  readonly columns: readonly Column<Json>[];
  readonly rows: readonly Json[];
  /** Where all that match are; null where these are all. */
  readonly more: string | null;
};

export type OperatorPageView = PageView & {
  readonly status: OperatorStatus;
  readonly places: readonly Place[];
  readonly search: string;
  /** What the search found; null without one. */
  readonly found: readonly Found[] | null;
  readonly latest: readonly Html[];
};

/** The operators' home: whether the service works, a search over everything, numbers, and the latest decisions (PG-06). */
export const operatorPage = page<OperatorPageView>(
  'Operator',
  (view) =>
    markup`${head('Operator')} ${summaryHtml(view.status, `${view.base}/operator/status`)}
<form class="filters" method="get" action="${view.base}/operator" role="search">
<div>
${field({
  id: 'search',
  name: 'search',
  kind: 'search',
  label: 'Search organizations, users and add-ons',
  value: view.search,
  hint: 'Starts of words of a name, a whole e-mail address, or an id',
})}
</div>
<div class="actions"><button type="submit">Search</button></div>
</form>
${view.found === null ? null : results(view.found)}
<ul class="grid">
${view.places.map(placeOf)}
</ul>
${card(
  'Latest grants',
  view.latest.length === 0
    ? empty('No add-on has been allowed yet.')
    : markup`<ol class="plainlist">
${view.latest.map((line) => markup`<li>${line}</li>`)}
</ol>`,
)}`,
  () => ({ wide: true }),
);

const placeOf = ({ href, label, count }: Place): Html =>
  markup`<li class="card">
<a href="${href}">${label}</a>${
    count &&
    markup`<div class="number">${count.isMore && 'more than '}${count.count.toLocaleString('en-GB')}</div>
<div class="soft small">${count.lately.toLocaleString('en-GB')} new in 7 days</div>`
  }
</li>`;

const results = (found: readonly Found[]): Html =>
  found.length === 0
    ? markup`<section class="card" role="status">
${empty('Nothing matches. The search finds starts of words of a name, a whole e-mail address, and ids.')}
</section>`
    : markup`${found.map(
        ({ label, columns, rows, more }) =>
          markup`<section class="card" role="status">
${table(label, columns, rows)}${more && markup`<p class="note"><a href="${more}">All that match</a></p>`}
</section>
`,
      )}`;
