import { entities } from '../../administration/entities.ts';
import { fieldsOf } from '../../administration/fields.ts';
import type { Entity, Json } from '../../administration/task.ts';
import type { Logo } from '../../domain/addons/addon.ts';
import type { Scope } from '../../domain/access/scope.ts';
import { timeOfUlid } from '../../domain/kernel/ids.ts';
import type { About } from '../../domain/event-subjects.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import {
  badge,
  link,
  moment,
  nameOf,
  shortTime,
  type BadgeKind,
  type Column,
  type ColumnSort,
  type FactRow,
} from '../pages/components.ts';
import { dataUrlOf } from '../pages/data-url.ts';
import { markup, type Html, type Part } from '../pages/html.ts';
import { english, words } from '../pages/words.ts';

export const pageOf = ({ plural }: Entity, id: string): string =>
  `/operator/${plural}/${encodeURIComponent(id)}`;

/** `redirect_uris` as "Redirect URIs". */
export const labelOf = (key: string): string => {
  const known = labels[key];
  if (known !== undefined) return known;
  const text = key
    .replace(/_(?:id|at)$/, (end) => (end === '_at' ? ' at' : ''))
    .replaceAll('_', ' ')
    .replace(/\b(?:id|ur[il])(?=s?\b)/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const labels: Readonly<Record<string, string>> = {
  addons: 'Add-ons',
  client_id: 'Add-on',
  email: 'E-mail address',
  external_id: 'External id',
  email_verified: 'E-mail address verified',
  has_logo: 'Logo',
  user_id: 'Approved by',
};

/** Kinds of things that have a name, by the key of their id. */
const kinds: Readonly<Record<string, About['kind']>> = {
  addon: 'addon',
  addons: 'addon',
  administrators: 'user',
  auditors: 'user',
  client_id: 'addon',
  members: 'user',
  organization: 'organization',
  organization_id: 'organization',
  user: 'user',
  user_id: 'user',
};

const idsIn = (key: string, value: unknown): readonly About[] => {
  if (Array.isArray(value)) return value.flatMap((item) => idsIn(key, item));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, part]) => idsIn(name, part));
  const kind = kinds[key];
  return kind === undefined || typeof value !== 'string' ? [] : [{ kind, id: value }];
};

/** What values are shown with. */
export type Showing = {
  readonly base: string;
  readonly now: number;
  readonly names: ReadonlyMap<string, string>;
  /** Of the add-on that the page is about. */
  readonly logo?: Logo | null;
};

/** The names of everything that a page shows, in one query. Without them pages show ids. */
export const namesIn = (
  { names }: Pick<ReadModels, 'names'>,
  shown: readonly Json[],
): Promise<ReadonlyMap<string, string>> =>
  names(shown.flatMap((json) => idsIn('', json))).catch(() => new Map<string, string>());

const entityOf = (kind: About['kind']) => entities.find(({ name }) => name === kind);

const named = ({ base, names }: Showing, kind: About['kind'], id: string): Html => {
  const about = entityOf(kind);
  const shown = nameOf(names.get(id) ?? id);
  return about === undefined ? shown : link(base + pageOf(about, id), shown);
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
const none = markup`<span class="soft">none</span>`;

/** A value of an answer; `isShort` in a list. */
export const shownOf = (showing: Showing, key: string, value: unknown, isShort = false): Part => {
  if (value === null || value === undefined || value === '')
    return isShort ? markup`<span class="soft">–</span>` : none;
  if (Array.isArray(value)) return manyOf(showing, key, value, isShort);
  if (typeof value === 'object') return objectOf(showing, value as Json);
  if (key === 'has_logo' && showing.logo)
    return markup`<img src="${dataUrlOf(showing.logo)}" alt="" width="64" height="64">`;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (isTime(text)) return isShort ? shortTime(english(showing.now), text) : moment(english(), text);
  if (key === 'state' || key === 'status') return badge(statusKinds[text] ?? 'off', text);
  const kind = kinds[key];
  if (kind !== undefined) return named(showing, kind, text);
  return key.endsWith('_id') ? markup`<code class="id">${text}</code>` : nameOf(text);
};

/** In a list, two and the number of the others. */
const manyOf = (showing: Showing, key: string, value: readonly unknown[], isShort: boolean): Part => {
  if (value.length === 0) return isShort ? markup`<span class="soft">–</span>` : none;
  if (key === 'scopes' || key === 'scope') return scopesOf(value);
  const most = isShort ? 2 : value.length;
  const shown = value
    .slice(0, most)
    .map((item) => markup`<div>${shownOf(showing, key, item, isShort)}</div>`);
  return markup`${shown}${value.length > most && markup`<div class="soft">and ${value.length - most} more</div>`}`;
};

const scopesOf = (value: readonly unknown[]): Part => {
  const known = words.scopeWords(value as readonly Scope[]);
  return markup`<span title="${value.join(' ')}">${known}</span>`;
};

const objectOf = (showing: Showing, value: Json): Part => {
  const { role, organization_id: organization, source } = value;
  if (typeof role === 'string')
    return markup`${role}${typeof organization === 'string' && markup` of ${named(showing, 'organization', organization)}`}${source === 'claim' && ', by claim'}`;
  const parts = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  return markup`${parts.map(([name, part], index) => markup`${index > 0 && ', '}${labelOf(name).toLowerCase()}: ${shownOf(showing, name, part, true)}`)}`;
};

/** What people call it: its name, for a grant the add-on and whose records. Null: it has only an id. */
export const titleOf = ({ names }: Pick<Showing, 'names'>, json: Json): string | null => {
  const { name, client_id: addon, user_id: user } = json;
  if (typeof name === 'string' && name !== '') return name;
  if (typeof addon !== 'string' || typeof user !== 'string') return null;
  const { organization_id: organization } = json;
  const whose = typeof organization === 'string' ? organization : user;
  return `${names.get(addon) ?? addon} for ${names.get(whose) ?? whose}`;
};

/** The same with each name isolated. */
export const titleHtml = (showing: Pick<Showing, 'names'>, json: Json): Html => {
  const { name, client_id: addon, user_id: user, organization_id: organization } = json;
  const text = titleOf(showing, json);
  if (text === null || typeof name === 'string') return nameOf(text ?? '');
  const of = (id: unknown) => nameOf(showing.names.get(String(id)) ?? String(id));
  return markup`${of(addon)} for ${of(typeof organization === 'string' ? organization : user)}`;
};

/** Repeated by the state, or by the name. */
const left = new Set(['disabled', 'erased', 'name']);

/** The facts of one, its id last. `change`: the page on which a property is changed. */
export const factsOf = (
  showing: Showing,
  about: Pick<Entity, 'idKey'> | null,
  json: Json,
  change: (key: string) => string | null = () => null,
): readonly FactRow[] => {
  const entries = Object.entries(json).filter(
    ([key]) => key !== about?.idKey && (about === null || !left.has(key)),
  );
  const name = about !== null && typeof json['name'] === 'string' ? [['name', json['name']] as const] : [];
  return [
    ...[...name, ...entries].map(([key, value]) => ({
      label: labelOf(key),
      value: shownOf(showing, key, value),
      change: change(key),
    })),
    ...(about === null
      ? []
      : [{ label: about.idKey, value: markup`<code class="id">${String(json[about.idKey])}</code>` }]),
  ];
};

/** How much room a column needs to be worth showing; others are always there. */
const importance: Readonly<Record<string, 'm' | 'l'>> = {
  administrators: 'l',
  email: 'm',
  email_verified: 'l',
  external_id: 'l',
  failing_since: 'm',
  issued_at: 'l',
  last_error: 'l',
  last_read_at: 'm',
  last_token_at: 'l',
  method: 'l',
  network: 'm',
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
  const isGrant = about !== null && !('name' in columns) && 'client_id' in columns;
  const isLeft = (key: string) =>
    key === about?.idKey ||
    (isGrant && (key === 'client_id' || key === 'organization_id')) ||
    key === 'retired';
  const first = (item: Json): Part => {
    if (about === null) return null;
    const id = String(item[about.idKey]);
    const isNamed = titleOf(showing, item) !== null;
    return link(showing.base + pageOf(about, id), isNamed ? titleHtml(showing, item) : nameOf(id));
  };
  const rest = Object.entries(columns)
    .filter(
      ([key]) =>
        !isLeft(key) && (about === null || key !== 'name') && items.some((item) => isThere(item[key])),
    )
    .map(([key, label]): Column<Json> => {
      const from = importance[key];
      if (key === 'suspended') return { label: 'State', cell: addonState };
      return {
        label: key === 'user_id' ? 'Approved by' : label,
        ...(from && { from }),
        sort: sorting(key),
        cell: (item) => shownOf(showing, key, item[key], true),
      };
    });
  const { created } = english().words.parts;
  const sort = sorting('created_at');
  const cell = (item: Json) => shownOf(showing, 'created_at', createdAt(about, item), true);
  return about === null
    ? rest
    : [
        { label: isGrant ? 'Grant' : (columns['name'] ?? 'Name'), sort: sorting('name'), cell: first },
        ...rest,
        ...(sort ? [{ label: created, from: 'l' as const, sort, cell }] : []),
      ];
};

/** How the head of a column sorts a list by what it shows; undefined: not. */
export type Sorting = (key: string) => ColumnSort | undefined;

/** Ids begin with the time. */
const createdAt = (about: Entity | null, item: Json): string =>
  new Date(timeOfUlid(String(item[about?.idKey ?? '']))).toISOString();

const isThere = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

const addonState = ({ suspended, retired }: Json): Html =>
  retired === true
    ? badge('off', 'retired')
    : suspended === true
      ? badge('stop', 'suspended')
      : badge('good', 'in use');

/** Lists of other things that can be filtered by one of these. */
export const relatedTo = (about: Entity, id: string) => [
  ...(about.parts ?? []).map(({ name }) => ({ href: `${pageOf(about, id)}/${name}`, label: labelOf(name) })),
  ...entities
    .filter((other) => other !== about && fieldsOf(other.filters).some(({ name }) => name === about.name))
    .map((other) => ({
      href: `/operator/${other.plural}?${new URLSearchParams({ [about.name]: id }).toString()}`,
      label: headingOf(other),
    })),
];

/** "Add-ons", "Grants". */
export const headingOf = ({ plural }: Pick<Entity, 'plural'>): string => labelOf(plural);
