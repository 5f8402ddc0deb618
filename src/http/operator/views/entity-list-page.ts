import type { Json } from '../../../tasks/task.ts';
import {
  alert,
  empty,
  field,
  head,
  pagination,
  table,
  tabs,
  type Column,
  type FormField,
  type Paging,
  type Tab,
} from '../../pages/components.ts';
import { markup, type Html } from '../../pages/html.ts';
import type { Crumb } from '../../pages/layout.ts';
import { page, type FormView } from '../../pages/render.ts';

export type EntityListView = FormView & {
  /** The address of this page, complete. */
  readonly here: string;
  readonly crumbs: readonly Crumb[];
  readonly heading: string;
  readonly tabs: readonly Tab[];
  readonly fields: readonly FormField[];
  /** Filters that are not in the form, but stay. */
  readonly kept: readonly (readonly [name: string, value: string])[];
  readonly columns: readonly Column<Json>[];
  readonly rows: readonly Json[];
  readonly isFiltered: boolean;
  /** What it says when there is nothing yet, where that has to be explained. */
  readonly none: Html | null;
  readonly paging: Paging;
  readonly making: readonly { readonly href: string; readonly label: string }[];
  readonly problem: string | null;
};

export const entityListPage = page<EntityListView>(
  ({ heading }) => heading,
  (view) =>
    markup`${head(view.heading, makingOf(view))}
${view.problem && alert(markup`<p id="failed">${view.problem}</p>${view.fields.length === 0 && markup`<p><a href="${view.here}">${view.reader.words.operator.showAll}</a></p>`}`)}
${view.tabs.length > 0 && tabs(view.reader, view.reader.words.operator.state, view.tabs)} ${view.fields.length > 0 && filters(view)}
${view.rows.length > 0 ? markup`<section class="card">${table(view.heading, view.columns, view.rows, true)}${pagination(view.reader, view.paging)}</section>` : nothing(view)}
`,
  () => ({ wide: true }),
);

const makingOf = ({ making }: EntityListView): Html | null =>
  making.length > 0
    ? markup`${making.map(({ href, label }, index) => markup`<a class="button${index > 0 && ' plain'}" href="${href}">${label}</a> `)}`
    : null;

const filters = ({ reader: { words }, here, fields, kept, isFiltered }: EntityListView): Html =>
  markup`<form class="filters" method="get" action="${here}" role="search">
${kept.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`)}${fields.map((one) => markup`<div>${field(one)}</div>`)}
<div class="actions">
<button type="submit">${words.operator.search}</button>${isFiltered && markup`<a href="${here}">${words.operator.showAll}</a>`}
</div>
</form>`;

const nothing = (view: EntityListView): Html | null => {
  const { operator: t } = view.reader.words;
  if (view.problem !== null) return null;
  if (view.paging.previous !== null || view.paging.next !== null)
    return markup`<section class="card">
${empty(t.nothingHere)}${pagination(view.reader, { ...view.paging, shown: 0 })}
</section>`;
  const none = view.making.length > 0 ? t.none : t.noneMade;
  return markup`<section class="card">
${view.isFiltered ? empty(t.noMatch, markup`<a class="button plain" href="${view.here}">${t.showAll}</a>`) : (view.none ?? empty(none, makingOf(view)))}
</section>`;
};
