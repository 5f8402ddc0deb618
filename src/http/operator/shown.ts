import { entities } from '../../administration/entities.ts';
import { fieldsOf } from '../../administration/fields.ts';
import { idsIn, kindsByKey } from '../../administration/find.ts';
import type { ChangeWhole } from '../../administration/addons/decide-changes.ts';
import type { Entity, Json, Task } from '../../administration/task.ts';
import type { Logo } from '../../domain/addons/addon.ts';
import type { Scope } from '../../domain/access/scope.ts';
import { timeOfUlid } from '../../domain/kernel/ids.ts';
import type { About } from '../../domain/event-subjects.ts';
import { markName, sentenceOf, textOf } from '../../domain/kernel/sentence.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import {
  badge,
  link,
  moment,
  nameOf,
  shortTime,
  type BadgeKind,
  type Column,
  type Sorting,
  type FactRow,
} from '../pages/components.ts';
import { dataUrlOf } from '../pages/data-url.ts';
import { markup, type Html, type Part } from '../pages/html.ts';
import type { Words } from '../words/en.ts';
import type { Reader } from '../words/reader.ts';
import { headingOf, labelOf, textIn, valueIn, withParts } from './in-words.ts';

export const pageOf = ({ plural }: Entity, id: string): string =>
  `/operator/${plural}/${encodeURIComponent(id)}`;

/** What an id is of, by its key: in answers, and in filters. */
const kinds: typeof kindsByKey = {
  ...kindsByKey,
  addon: 'addon',
  organization: 'organization',
  user: 'user',
};

export type Showing = {
  readonly base: string;
  readonly reader: Reader;
  readonly names: ReadonlyMap<string, string>;
  /** Of the add-on that the page is about. */
  readonly logo?: Logo | null;
};

/** The names of everything that a page shows, in one query. Without them pages show ids. */
export const namesIn = (
  { names }: Pick<ReadModels, 'names'>,
  shown: readonly Json[],
): Promise<ReadonlyMap<string, string>> => names(idsIn(shown, kinds)).catch(() => new Map<string, string>());

const entityOf = (kind: About['kind']) => entities.find(({ name }) => name === kind);

/** `break-glass` stands in place of a user. */
const named = ({ base, names }: Showing, kind: About['kind'], id: string): Html => {
  const about = entityOf(kind);
  const shown = nameOf(names.get(id) ?? id);
  return about === undefined || !about.isId(id) ? shown : link(base + pageOf(about, id), shown);
};

const statusKinds: Readonly<Record<string, BadgeKind>> = {
  active: 'good',
  enabled: 'good',
  open: 'good',
  paused: 'wait',
  expired: 'off',
  closed: 'off',
  erased: 'off',
  revoked: 'off',
  disabled: 'stop',
  failing: 'stop',
};

const isTime = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text);
/** Whose values are words. */
const spoken = new Set(['method', 'role', 'source', 'state', 'status']);

const nothing = ({ reader }: Showing, isShort: boolean): Html =>
  markup`<span class="soft">${isShort ? '–' : reader.words.operator.empty}</span>`;

/** A value of an answer; `isShort` in a list. */
export const shownOf = (showing: Showing, key: string, value: unknown, isShort = false): Part => {
  const { reader } = showing;
  const { words } = reader;
  if (value === null || value === undefined || value === '') return nothing(showing, isShort);
  if (key === 'differences')
    return markup`${(value as readonly Difference[]).map((one) => differenceOf(showing, one))}`;
  if (Array.isArray(value)) return manyOf(showing, key, value, isShort);
  if (typeof value === 'object') return objectOf(showing, value as Json);
  if (key === 'has_logo' && showing.logo)
    return markup`<img src="${dataUrlOf(showing.logo)}" alt="" width="64" height="64">`;
  if (typeof value === 'boolean') return value ? words.operator.yes : words.operator.no;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (isTime(text)) return isShort ? shortTime(reader, text) : moment(reader, text);
  if (key === 'state' || key === 'status') return badge(statusKinds[text] ?? 'off', valueIn(words, text));
  if (spoken.has(key)) return valueIn(words, text);
  if (key === 'message') return textIn(words, text);
  const kind = kinds[key];
  if (kind !== undefined) return named(showing, kind, text);
  return key.endsWith('_id') ? markup`<code class="id">${text}</code>` : nameOf(text);
};

/** In a list, two and the number of the others. */
const manyOf = (showing: Showing, key: string, value: readonly unknown[], isShort: boolean): Part => {
  if (value.length === 0) return nothing(showing, isShort);
  if (key === 'scopes' || key === 'scope') return scopesOf(showing, value);
  const most = isShort ? 2 : value.length;
  const shown = value
    .slice(0, most)
    .map((item) => markup`<div>${shownOf(showing, key, item, isShort)}</div>`);
  return markup`${shown}${value.length > most && markup`<div class="soft">${showing.reader.words.operator.more(value.length - most)}</div>`}`;
};

const scopesOf = ({ reader }: Showing, value: readonly unknown[]): Part => {
  const known = (value as readonly Scope[]).map((scope) => reader.scopes[scope].short).join(', ');
  return markup`<span title="${value.join(' ')}">${known}</span>`;
};

type Difference = ChangeWhole['differences'][number];

/** A field of a change before and after, with what leads to a new host. */
const differenceOf = (
  { reader: { words } }: Showing,
  { field, before, after, with_new_host: marked }: Difference,
): Html => {
  const { operator: t } = words;
  const mark = badge('wait', t.newHost);
  const each = (uris: readonly string[], others: readonly string[], tag: 'ins' | 'del') =>
    uris.length === 0
      ? t.empty
      : uris.map((uri) => {
          const shown = markup`<bdi>${uri}</bdi>`;
          const isOther = others.includes(uri);
          const changed = tag === 'ins' ? markup`<ins>${shown}</ins>` : markup`<del>${shown}</del>`;
          return markup`<div>${isOther ? shown : changed} ${tag === 'ins' && marked.includes(uri) && mark}</div>`;
        });
  return markup`<strong>${labelOf(words, field)}</strong><div class="soft small">${t.before}</div>${each(before, after, 'del')}<div class="soft small">${t.after}</div>${each(after, before, 'ins')}`;
};

const objectOf = (showing: Showing, value: Json): Part => {
  const { words } = showing.reader;
  const { role, organization_id: organization, source } = value;
  if (typeof role === 'string') {
    const of = typeof organization === 'string' ? organization : null;
    const text = words.operator.role(valueIn(words, role), of && markName(of), source === 'claim');
    return withParts(text, of === null ? {} : { [of]: named(showing, 'organization', of) });
  }
  const parts = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  return markup`${parts.map(([name, part], index) => markup`${index > 0 && ', '}${withParts(words.operator.part(labelOf(words, name), markName('value')), { value: shownOf(showing, name, part, true) })}`)}`;
};

type Naming = { readonly words: Words; readonly names: ReadonlyMap<string, string> };

const markedTitle = ({ words, names }: Naming, json: Json): string | null => {
  const { name, client_id: addon, user_id: user, organization_id: organization } = json;
  if (typeof name === 'string' && name !== '') return markName(name);
  if (typeof addon !== 'string' || typeof user !== 'string') return null;
  const of = (id: string) => markName(names.get(id) ?? id);
  return words.operator.grantFor(of(addon), of(typeof organization === 'string' ? organization : user));
};

/** What people call it: its name, for a grant the add-on and whose records. Null: it has only an id. */
export const titleOf = (naming: Naming, json: Json): string | null => {
  const marked = markedTitle(naming, json);
  return marked === null ? null : textOf(sentenceOf(marked));
};

/** The same with each name isolated. */
export const titleHtml = (naming: Naming, json: Json): Html =>
  markup`${sentenceOf(markedTitle(naming, json) ?? '').map(({ kind, text }) => (kind === 'name' ? nameOf(text) : text))}`;

/** Repeated by the state, or by the name. */
const left = new Set(['disabled', 'erased', 'name', 'retired']);

/** The facts of an item of a list: its columns. */
export const itemFacts = (showing: Showing, about: Entity, { of }: Task, item: Json): readonly FactRow[] => {
  const { columns = {} } = about.parts?.find(({ name }) => name === of?.part) ?? {};
  return Object.entries(columns)
    .filter(([key]) => isThere(item[key]))
    .map(([key, label]) => ({
      label: textIn(showing.reader.words, label),
      value: shownOf(showing, key, item[key]),
    }));
};

/** The facts of one, its id last. `change`: the page on which a property is changed. */
export const factsOf = (
  showing: Showing,
  about: Pick<Entity, 'idKey'> | null,
  json: Json,
  change: (key: string) => string | null = () => null,
): readonly FactRow[] => {
  const { words } = showing.reader;
  // Of an answer, what is null is not known.
  const entries = Object.entries(json).filter(([key, value]) =>
    about === null ? value !== null : key !== about.idKey && !left.has(key),
  );
  // A user_id says nothing by itself: of a grant it is who approved it, of an answer whom it is about (FX-94).
  const labelOfKey = (key: string) =>
    key === 'user_id' ? (about === null ? key : words.operator.approver) : labelOf(words, key);
  const name = about !== null && typeof json['name'] === 'string' ? [['name', json['name']] as const] : [];
  return [
    ...[...name, ...entries].map(([key, value]) =>
      key === 'suspended'
        ? { label: words.operator.state, value: addonState(words, json) }
        : { label: labelOfKey(key), value: shownOf(showing, key, value), change: change(key) },
    ),
    ...(about === null
      ? []
      : [{ label: about.idKey, value: markup`<code class="id">${String(json[about.idKey])}</code>` }]),
  ];
};

/** How much room a column needs to be worth showing; others are always there. */
const importance: Readonly<Record<string, 'm' | 'l'>> = {
  administrators: 'l',
  deactivated_at: 'm',
  deactivated_by: 'm',
  email: 'm',
  email_verified: 'l',
  epoch: 'l',
  expires_at: 'm',
  external_id: 'l',
  failing_since: 'm',
  issued_at: 'l',
  last_error: 'l',
  last_read_at: 'm',
  last_token_at: 'l',
  live_grants: 'm',
  method: 'l',
  network: 'm',
  organization_id: 'm',
  position: 'l',
  publisher: 'm',
  roles: 'm',
  scopes: 'l',
  started_at: 'm',
  user_id: 'm',
  waiting: 'm',
};

/** The columns of a list that have a value: the name leads to the page of each, where its id is. */
export const columnsOf = (
  showing: Showing,
  columns: Entity['columns'],
  about: Entity | null,
  items: readonly Json[],
  sorting: Sorting = () => undefined,
): readonly Column<Json>[] => {
  const { words } = showing.reader;
  const naming = { words, names: showing.names };
  const isGrant = about !== null && !('name' in columns) && 'client_id' in columns;
  // Of a part, its first column may have names already.
  const hasNames = about !== null || kinds[Object.keys(columns)[0] ?? ''] !== undefined;
  const isLeft = (key: string) =>
    (hasNames && key === 'name') ||
    key === about?.idKey ||
    (isGrant && (key === 'client_id' || key === 'organization_id')) ||
    key === 'retired';
  const first = (item: Json): Part => {
    if (about === null) return null;
    const id = String(item[about.idKey]);
    const isNamed = titleOf(naming, item) !== null;
    const named = link(showing.base + pageOf(about, id), isNamed ? titleHtml(naming, item) : nameOf(id));
    const { email } = item;
    // Where there is no room for its column: it distinguishes people of one name.
    return markup`${named}${typeof email === 'string' && markup`<div class="to-m soft small">${nameOf(email)}</div>`}`;
  };
  const rest = Object.entries(columns)
    .filter(([key]) => !isLeft(key) && items.some((item) => isThere(item[key])))
    .map(([key, label], index): Column<Json> => {
      const from = about === null && index === 0 ? undefined : importance[key];
      if (key === 'suspended')
        return { label: words.operator.state, cell: (item) => addonState(words, item) };
      return {
        label: isGrant && key === 'user_id' ? words.operator.approver : textIn(words, label),
        ...(from && { from }),
        sort: sorting(key),
        cell: (item) => shownOf(showing, key, item[key], true),
      };
    });
  const { created } = words.parts;
  const sort = sorting('created_at');
  const cell = (item: Json) => shownOf(showing, 'created_at', createdAt(about, item), true);
  return about === null
    ? rest
    : [
        {
          label: isGrant ? words.operator.grant : textIn(words, columns['name'] ?? 'Name'),
          sort: sorting('name'),
          cell: first,
        },
        ...rest,
        ...(sort ? [{ label: created, from: 'l' as const, sort, cell }] : []),
      ];
};

/** Ids begin with the time. */
const createdAt = (about: Entity | null, item: Json): string =>
  new Date(timeOfUlid(String(item[about?.idKey ?? '']))).toISOString();

const isThere = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

const addonState = (words: Words, { suspended, retired }: Json): Html => {
  if (retired === true) return badge('off', valueIn(words, 'retired'));
  return suspended === true
    ? badge('stop', valueIn(words, 'suspended'))
    : badge('good', valueIn(words, 'in use'));
};

/** Lists of other things that can be filtered by one of these. */
export const relatedTo = (words: Words, about: Entity, id: string) => [
  ...(about.parts ?? []).map(({ name }) => ({
    href: `${pageOf(about, id)}/${name}`,
    label: labelOf(words, name),
  })),
  ...entities
    .filter((other) => other !== about && fieldsOf(other.filters).some(({ name }) => name === about.name))
    .map((other) => ({
      href: `/operator/${other.plural}?${new URLSearchParams({ [about.name]: id }).toString()}`,
      label: headingOf(words, other),
    })),
];
