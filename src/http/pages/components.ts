import type { Tone } from '../../tasks/answer-fields.ts';
import { markup, trusted, type Html, type Part } from './html.ts';
import type { Reader } from '../words/reader.ts';

/** What pages are made of (docs/design.md, PG-14). Addresses are complete: with `base` in front. */

/** A link; the words are a name, or a text. */
export const link = (href: string, label: Part): Html => markup`<a href="${href}">${label}</a>`;

/** Isolated, so that it cannot reorder what is around it. Above the width of a phone only a very long word may be broken inside. */
export const nameOf = (text: string): Html =>
  markup`<bdi class="${/\S{31}/u.test(text) ? 'name long' : 'name'}">${text}</bdi>`;

/** @param at RFC 3339 */
export const moment = ({ momentOf }: Reader, at: string): Html =>
  markup`<time datetime="${at}" title="${at}">${momentOf(at)}</time>`;

/** Short, for tables: the time of day only where it is today's. */
export const shortTime = ({ momentOf, shortOf }: Reader, at: string): Html =>
  markup`<time class="once" datetime="${at}" title="${momentOf(at)}">${shortOf(at)}</time>`;

/** Relative for today and yesterday: "today at 12:04". */
export const timeOf = ({ when }: Reader, at: string): Html =>
  markup`<time datetime="${at}" title="${at}">${when(at)}</time>`;

/** When something happened, in a sentence: "on 3 May 2026 at 12:04". */
export const onTime = ({ on }: Reader, at: string): Html =>
  markup`<time datetime="${at}" title="${at}">${on(at)}</time>`;

/** "3 May 2026". */
export const day = ({ dayOf }: Reader, at: string): Html =>
  markup`<time datetime="${at}">${dayOf(at)}</time>`;

/** A status in words; the colour only repeats it. */
export const badge = (kind: Tone, text: Part): Html =>
  markup`<span class="tag${kind === 'good' ? '' : ` ${kind}`}">${text}</span>`;

export const alert = (content: Part): Html => markup`<div class="alert" role="alert">${content}</div>`;
export const notice = (content: Part): Html => markup`<p class="notice" role="status">${content}</p>`;

/** The heading of a page, with what can be begun there. */
export const head = (title: Part, actions: Part = null): Html =>
  markup`<div class="head">
<h1>${title}</h1>
${actions && markup`<div class="actions">${actions}</div>`}
</div>`;

/** @param actions what can be done there as a whole, next to the heading */
export const card = (title: string, content: Part, id = idOf(title), actions: readonly Part[] = []): Html =>
  markup`<section class="card" aria-labelledby="${id}">
${actions.length === 0 ? markup`<h2 id="${id}">${title}</h2>` : markup`<div class="head"><h2 id="${id}">${title}</h2><div class="actions">${actions}</div></div>`}
${content}
</section>
`;

const idOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z]+/g, '-');

export type FactRow = { readonly label: string; readonly value: Part; readonly change?: string | null };

/** Facts with "Change" next to those that can be changed. */
export const facts = ({ words: { parts } }: Reader, rows: readonly FactRow[]): Html =>
  markup`<dl class="facts">
${rows.map(
  ({ label, value, change }) =>
    markup`<dt>${label}</dt>
<dd>${
      change
        ? markup`<div class="value"><span>${value}</span><a href="${change}">${parts.change}<span class="hidden"> ${label}</span></a></div>`
        : value
    }</dd>
`,
)}
</dl>`;

export type Column<Row> = {
  readonly label: string;
  /** Where there is room for it: everywhere, on tablets (m), or on desks (l). */
  readonly from?: 'm' | 'l';
  readonly isNumber?: boolean;
  /** The list can be sorted by it: what its head leads to, and how it is sorted by it now. */
  readonly sort?: ColumnSort | undefined;
  readonly cell: (row: Row) => Part;
};

export type ColumnSort = {
  readonly href: string;
  /** Null: it is sorted by something else. */
  readonly order: { readonly isBack: boolean; readonly words: string } | null;
};

/** How the head of a column sorts a list by what it shows; undefined: not. */
export type Sorting = (key: string) => ColumnSort | undefined;

/** What the heads of columns lead to: the other direction of the current order, or another order; times begin with the newest. */
export const sortingOf =
  (
    { words: { parts } }: Reader,
    orders: readonly string[],
    current: string,
    hrefOf: (sort: string) => string,
  ): Sorting =>
  (key) => {
    if (!orders.includes(key)) return undefined;
    const isBack = current === `-${key}`;
    const isCurrent = isBack || current === key;
    const sort = current === key || (!isCurrent && key.endsWith('_at')) ? `-${key}` : key;
    return {
      href: hrefOf(sort),
      order: isCurrent ? { isBack, words: isBack ? parts.descending : parts.ascending } : null,
    };
  };

export const tableHead = <Row>(column: Column<Row>): Html => {
  const { label, sort } = column;
  if (!sort) return markup`<th scope="col"${classOf(column)}>${label}</th>`;
  const { href, order } = sort;
  const isSorted = order && markup` aria-sort="${order.isBack ? 'descending' : 'ascending'}"`;
  const arrow =
    order &&
    markup` <span aria-hidden="true">${order.isBack ? '↓' : '↑'}</span><span class="hidden"> (${order.words})</span>`;
  return markup`<th scope="col"${classOf(column)}${isSorted}><a href="${href}">${label}${arrow}</a></th>`;
};

const classOf = ({ from, isNumber }: Pick<Column<never>, 'from' | 'isNumber'>): Html | null => {
  const classes = [from && `from-${from}`, isNumber && 'number-cell'].filter(Boolean).join(' ');
  return classes === '' ? null : markup` class="${classes}"`;
};

/** Values of several things: the first column is the head of each row. The caption says what they are. */
export const table = <Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  isCaptionHidden = false,
): Html => markup`<table class="list"${isCaptionHidden && markup` aria-label="${caption}"`}>${!isCaptionHidden && markup`<caption>${caption}</caption>`}
<thead><tr>${columns.map(tableHead)}</tr></thead>
<tbody>${rows.map(
  (row) =>
    markup`<tr>
${columns.map((column, index) =>
  index === 0
    ? markup`<th scope="row">${column.cell(row)}</th>`
    : markup`<td${classOf(column)}>${column.cell(row)}</td>`,
)}
</tr>
`,
)}</tbody></table>`;

/** What a list says that has no entry: why, and how the first is made. */
export const empty = (text: Part, action: Part = null): Html =>
  markup`<div class="empty">
<p class="soft">${text}</p>
${action && markup`<div class="actions">${action}</div>`}
</div>`;

export type Tab = {
  readonly href: string;
  readonly label: string;
  readonly count?: number | undefined;
  /** Whether there are more than are counted. */
  readonly isMore?: boolean;
  readonly isCurrent: boolean;
  /** What it has waits for somebody. */
  readonly needsWork?: boolean;
};

export const tabs = ({ number }: Reader, label: string, items: readonly Tab[]): Html =>
  markup`<nav class="tabs" aria-label="${label}">
${items.map(
  ({ href, label: text, count, isMore = false, isCurrent, needsWork = false }) =>
    markup`<a href="${href}"${needsWork && trusted(' class="work"')}${isCurrent && trusted(' aria-current="page"')}>${text}${count === undefined ? null : ` (${number(count)}${isMore ? '+' : ''})`}</a> `,
)}
</nav>`;

export type Paging = {
  /** The number of the first entry here, from 1. */
  readonly from: number;
  readonly shown: number;
  /** Null where it is not known. */
  readonly all: { readonly count: number; readonly isMore: boolean } | null;
  /** Complete addresses; null where there is none. */
  readonly first: string | null;
  readonly previous: string | null;
  readonly next: string | null;
};

/** "1–50 of 136", first, previous, next. */
export const pagination = (
  { number, words: { parts } }: Reader,
  { from, shown, all, first, previous, next }: Paging,
): Html => {
  const range = `${number(from)}–${number(from + shown - 1)}`;
  const way = (href: string | null, label: string) => href && markup`<a href="${href}">${label}</a> `;
  return markup`<nav class="ways" aria-label="${parts.pages}">
<p class="soft">${all === null ? range : parts.rangeOf(range, number(all.count), all.isMore)}</p>
<span>${way(first, parts.first)}${way(previous, parts.previous)}${way(next, parts.next)}</span>
</nav>`;
};

/** Those of one `group` are together. */
type Option = { readonly value: string; readonly label: string; readonly group?: string };

export type FormField = {
  readonly id: string;
  readonly name: string;
  readonly kind:
    'text' | 'search' | 'date' | 'number' | 'secret' | 'choice' | 'several' | 'checks' | 'flag' | 'file';
  readonly label: string;
  readonly value: string;
  readonly isRequired?: boolean;
  /** The label is for those who do not see that it is a search. */
  readonly isLabelHidden?: boolean;
  readonly hint?: string | null;
  readonly problem?: string | null;
  /** Of a choice; the first is shown where nothing is chosen. */
  readonly options?: readonly Option[];
  /** Of a text: some of what it can be. */
  readonly suggested?: readonly Option[] | null;
};

const optionsOf = (options: readonly Option[], value: string): readonly Html[] =>
  options.map(({ group, ...option }, index) => {
    const isFirst = group !== undefined && options[index - 1]?.group !== group;
    const isLast = group !== undefined && options[index + 1]?.group !== group;
    return markup`${isFirst && markup`<optgroup label="${group}">`}<option value="${option.value}"${option.value === value && trusted(' selected')}>${option.label}</option>${isLast && trusted('</optgroup>')}`;
  });

/** A field with its label above, and below it what is wrong and what it accepts. */
export const field = (one: FormField): Html => {
  const { id, name, kind, label, value, isRequired = false, hint, problem, options = [], suggested } = one;
  const described = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ');
  const common = markup` id="${id}" name="${name}"${described !== '' && markup` aria-describedby="${described}"`}${problem && trusted(' aria-invalid="true"')}${isRequired && kind !== 'flag' && trusted(' required')}`;
  const below = markup`${problem && markup`<p class="small wrong" id="${id}-problem">${problem}</p>`}${hint && markup`<p class="soft small" id="${id}-hint">${hint}</p>`}`;
  if (kind === 'flag')
    return markup`<label class="choice" for="${id}"><input type="checkbox" value="on" ${common}${value !== '' && trusted(' checked')}><span>${label}</span></label>${below}`;
  if (kind === 'checks')
    return markup`<fieldset>
<legend>${label}</legend>
${options.map((option, index) => markup`<label class="choice"><input type="checkbox" name="${name}" value="${option.value}" id="${id}${index === 0 ? '' : `-${index}`}"${value.split('\n').includes(option.value) && trusted(' checked')}><span>${option.label}</span></label>`)}
</fieldset>
${below}`;
  const control =
    kind === 'choice'
      ? markup`<select${common}>${optionsOf(options, value)}</select>`
      : kind === 'several'
        ? markup`<textarea rows="4" spellcheck="false" ${common}>${value}</textarea>`
        : kind === 'file'
          ? markup`<input type="file" ${common}>`
          : markup`<input type="${kind === 'secret' ? 'password' : kind}"${one.isLabelHidden === true && markup` placeholder="${label}"`} value="${value}" autocomplete="${kind === 'secret' ? 'new-password' : 'off'}"
${kind !== 'date' && trusted(' spellcheck="false"')}${suggested && markup` list="${id}-list"`}${common}/>${suggested && markup`<datalist id="${id}-list">${optionsOf(suggested, '')}</datalist>`}`;
  return markup`<label class="${one.isLabelHidden === true ? 'hidden' : 'field'}" for="${id}">${label}</label> ${control}${below}`;
};

/** What is wrong with a form; the field to correct names it (`ifWrong`). */
export const failure = (text: string | null | undefined): Html | null | undefined | '' =>
  text && markup`<p class="alert" role="alert" id="failed">${text}</p>`;

/** Attributes of the field to correct: it gets the focus, and names the failure. */
export const ifWrong = (isWrong: boolean, id = 'failed'): Html | false =>
  isWrong && markup` aria-invalid="true" aria-describedby="${id}" autofocus`;

/** A page that asks before something is done: the button of a decision that ends something is red. */
export const form = (
  { words: { frame } }: Reader,
  { action, csrf, submit, isEnd = false, cancel, leave = frame.cancel, hasFile = false }: FormFrame,
  content: Part,
): Html =>
  markup`<form method="post" action="${action}"${hasFile && trusted(' enctype="multipart/form-data"')}>
<input type="hidden" name="csrf" value="${csrf}">
${content}
<div class="actions">
<button type="submit"${isEnd && trusted(' class="danger sure"')}>${submit}</button>${cancel && markup` <a class="button plain" href="${cancel}">${leave}</a>`}
</div>
</form>`;

type FormFrame = {
  readonly action: string;
  readonly csrf: string;
  readonly submit: string;
  readonly isEnd?: boolean;
  readonly cancel?: string;
  /** What the link to `cancel` says, if not "Cancel". */
  readonly leave?: string;
  readonly hasFile?: boolean;
};
