import type { Json } from '../../../tasks/task.ts';
import {
  alert,
  empty,
  field,
  head,
  notice,
  pagination,
  tabs,
  type FormField,
  type Paging,
  type Tab,
} from '../../pages/components.ts';
import { markup, trusted, type Html, type Part } from '../../pages/html.ts';
import { list, menu, type ListColumn } from '../../pages/list.ts';
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
  /** Filters that hold, each with the address without it. */
  readonly chips: readonly Chip[];
  readonly columns: readonly ListColumn<Json>[];
  readonly rows: readonly Json[];
  readonly isFiltered: boolean;
  /** What it says when there is nothing yet, where that has to be explained. */
  readonly none: Html | null;
  readonly paging: Paging;
  readonly making: readonly { readonly href: string; readonly label: string }[];
  readonly problem: string | null;
  /** What was done here just now. */
  readonly done: Part;
};

export type Chip = { readonly href: string; readonly label: string; readonly value: Part };

export const entityListPage = page<EntityListView>(
  ({ heading }) => heading,
  (view) =>
    markup`${head(view.heading, makingOf(view))}
${view.done && notice(view.done)}
${view.problem && alert(markup`<p id="failed">${view.problem}</p>${view.fields.length === 0 && markup`<p><a href="${view.here}">${view.reader.words.operator.showAll}</a></p>`}`)}
${view.tabs.length > 0 && tabs(view.reader, view.reader.words.operator.state, view.tabs)} ${view.fields.length > 0 && filters(view)} ${view.chips.length > 0 && chips(view)}
${view.rows.length > 0 ? markup`<section class="card rows-card">${list(view.heading, view.columns, view.rows)}${pagination(view.reader, view.paging)}</section>` : nothing(view)}
`,
  () => ({ wide: true }),
);

/** The first has a button, the others are in a menu. */
const makingOf = ({ making: [first, ...others], reader: { words }, heading }: EntityListView): Html | null =>
  first === undefined
    ? null
    : markup`<a class="button" href="${first.href}">${first.label}</a>${menu(
        words.parts.actionsOf(heading),
        others.map(({ href, label }) => markup`<a href="${href}">${label}</a>`),
      )}`;

/** One search field; what else there is opens behind a button where there is no room. */
const filters = (view: EntityListView): Html => {
  const { operator: t } = view.reader.words;
  const search = view.fields.filter(({ kind }) => kind === 'search');
  const others = view.fields.filter(({ kind }) => kind !== 'search');
  const isWrong = view.fields.some(({ problem }) => problem);
  const formOf = (name: string, fields: readonly FormField[], kept: EntityListView['kept']) =>
    markup`<form class="${name}" method="get" action="${view.here}" role="search" aria-label="${t.search}">
${kept.map(([each, value]) => markup`<input type="hidden" name="${each}" value="${value}">`)}${fields.map((one) => markup`<div>${field(one)}</div>`)}
<div class="actions"><button type="submit">${t.search}</button></div>
</form>`;
  if (others.length === 0)
    return formOf(
      'filters alone',
      search.map((one) => ({ ...one, isLabelHidden: true })),
      view.kept,
    );
  const onPhones = view.fields.map((one) => ({ ...one, id: `${one.id}-2` }));
  return markup`<div class="on-desks">${formOf('filters', view.fields, view.kept)}</div>
<details class="filters-menu"${isWrong && trusted(' open')}><summary class="button plain">${t.filters}</summary>${formOf('filters', onPhones, view.kept)}</details>`;
};

const chips = ({ reader: { words }, here, chips: all }: EntityListView): Html =>
  markup`<p class="filtered">${all.map(
    ({ href, label, value }) =>
      markup`<a class="tag off" href="${href}" title="${words.operator.without(label)}">${label}: ${value} <span aria-hidden="true">×</span><span class="hidden">${words.operator.without(label)}</span></a> `,
  )}<a href="${here}">${words.operator.showAll}</a></p>`;

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
