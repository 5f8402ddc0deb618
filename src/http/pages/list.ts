import type { Scope } from '../../domain/access/scope.ts';
import { accessInShort } from '../words/access.ts';
import type { Reader } from '../words/reader.ts';
import { tableHead, type Column } from './components.ts';
import { markup, trusted, type Html, type Part } from './html.ts';
import { scopeIcon } from './scope-icons.ts';

/** The one list of things for every audience (docs/design.md, PG-17): a row leads to what it is about, and has its tasks. */
export type ListColumn<Row> = Column<Row> & {
  /** A state stays next to the name where there is no room for columns, and so does the menu of the row. */
  readonly as?: 'state' | 'menu' | 'value';
  /** An id says nothing to people: only where there is room. */
  readonly isId?: boolean;
};

/** How many values stay below the name where there is no room for columns. */
const mostOnPhones = 2;

/** @param all the first has the name of each; of states and menus only those that some row has are shown */
export const list = <Row>(caption: string, all: readonly ListColumn<Row>[], rows: readonly Row[]): Html => {
  const columns = all.filter(
    ({ as, cell }, index) =>
      index === 0 || as === undefined || as === 'value' || rows.some((row) => !isNothing(cell(row))),
  );
  const [first, ...others] = columns;
  const onPhones = others
    .filter(({ as = 'value', isId }) => as === 'value' && isId !== true)
    .slice(0, mostOnPhones);
  return markup`<table class="list things" aria-label="${caption}">
<thead><tr>${columns.map(headOf)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      markup`<tr>
<th scope="row">${first?.cell(row)}</th>${others.map((column) => cellOf(column, row, onPhones.indexOf(column) + 1))}
</tr>
`,
  )}</tbody></table>`;
};

/** @param place on phones, from 1; 0: not there */
const cellOf = <Row>(column: ListColumn<Row>, row: Row, place: number): Html => {
  const { as = 'value', label, from, isNumber, cell } = column;
  const classes = [
    classOf[as],
    from && `from-${from}`,
    isNumber && 'number-cell',
    place > 0 && `on-phones-${place}`,
  ];
  const value = cell(row);
  const isDash = as === 'value' && isNothing(value);
  return markup`<td class="${classes.filter(Boolean).join(' ')}"${isNumber && place > 0 && markup` data-label="${label}"`}>${isDash ? markup`<span class="soft">–</span>` : value}</td>`;
};

const classOf = { value: 'cell', state: 'state', menu: 'ways-cell' } as const;

const isNothing = (part: Part): boolean =>
  part === null ||
  part === undefined ||
  part === false ||
  part === '' ||
  (Array.isArray(part) && part.every(isNothing));

/** A menu needs no words above it. */
const headOf = <Row>(column: ListColumn<Row>): Html =>
  column.as === 'menu'
    ? markup`<th scope="col" class="ways-cell"><span class="hidden">${column.label}</span></th>`
    : tableHead(column);

/** The name of a thing, and below it what distinguishes it from others of the name, with its first letter. */
export const lead = ({ name, initial, second = null }: Lead): Html =>
  markup`<div class="lead">${initial !== undefined && initialOf(initial)}<div><div class="line"${titleOf(name)}>${name}</div>${second !== null && markup`<div class="second"${titleOf(second)}>${second}</div>`}</div></div>`;

/** What may be cut: in full, without its markup. */
const titleOf = (part: Part): Html =>
  trusted(` title="${markup`${part}`.html.replaceAll(/<[^>]*>/g, '').trim()}"`);

type Lead = {
  /** The link, where there is a page. */
  readonly name: Part;
  /** The text that begins with the letter; absent where a letter says nothing. */
  readonly initial?: string;
  readonly second?: Part;
};

/** Only decoration: the name stands next to it. */
export const initialOf = (name: string, logo: string | null = null): Html =>
  logo === null
    ? markup`<bdi class="initial" aria-hidden="true">${firstOf(name)}</bdi>`
    : markup`<img class="initial" src="${logo}" alt="">`;

const letters = new Intl.Segmenter();

const firstOf = (name: string): string => {
  const [first] = letters.segment(name.trim());
  return first?.segment.toLocaleUpperCase() ?? '';
};

/** What scopes open, as icons with their words. */
export const accessChips = (reader: Reader, scopes: readonly Scope[]): Html =>
  markup`<span class="chips">${scopes.map((scope) => {
    const words = accessInShort(reader, [scope]);
    return markup`<span title="${words}">${trusted(scopeIcon(scope))}<span class="hidden">${words} </span></span>`;
  })}</span>`;

/** What can be done, behind one button: what ends something comes last. */
export const menu = (label: string, ways: readonly Part[]): Html | null =>
  ways.length === 0
    ? null
    : markup`<details class="ways-menu"><summary aria-label="${label}" title="${label}">${trusted('⋯')}</summary><div>${ways}</div></details>`;

/** The last column of a list: the menu of each row, which is left out where no row has any. */
export const menuColumn = <Row>(
  { words }: Pick<Reader, 'words'>,
  nameOf: (row: Row) => string,
  waysOf: (row: Row) => readonly Part[],
): ListColumn<Row> => ({
  label: words.operator.actions,
  as: 'menu',
  cell: (row) => menu(words.parts.actionsOf(nameOf(row)), waysOf(row)),
});
