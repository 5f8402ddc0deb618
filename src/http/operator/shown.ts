import { entities } from '../../tasks/entities.ts';
import { fieldsOf } from '../../tasks/fields.ts';
import { shownFields, standings, type ShownField, type ShownFields } from '../../tasks/answer-fields.ts';
import { changeFields, changeTones, type ChangeItem } from '../../tasks/addons/addon-changes.ts';
import type { AddonUsage } from '../../tasks/publishing/answers.ts';
import type { ChangeWhole } from '../../tasks/addons/decide-changes.ts';
import { itemsOf, type Items } from '../../tasks/sections.ts';
import type { Entity, Json, Task } from '../../tasks/task.ts';
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
  type Column,
  type Sorting,
  type FactRow,
} from '../pages/components.ts';
import { dataUrlOf } from '../pages/data-url.ts';
import { markup, type Html, type Part } from '../pages/html.ts';
import type { Words } from '../../common/words.ts';
import { makeReader, type Reader } from '../words/reader.ts';
import { capitalized, columnIn, headingOf, labelOf, nounOf, textIn, valueIn, withParts } from './in-words.ts';
import { accessInShort } from '../words/access.ts';

/** Where an audience has the page of a thing; null: it has none. */
export type PageOf = (about: Entity, id: string) => string | null;

export const pageOfOperators = ({ plural }: Entity, id: string): string =>
  `/operator/${plural}/${encodeURIComponent(id)}`;

export type Showing = {
  readonly base: string;
  readonly pageOf: PageOf;
  readonly reader: Reader;
  readonly names: ReadonlyMap<string, string>;
  /** Of the add-on that the page is about. */
  readonly logo?: Logo | null;
};

/** The names of everything that a page shows, in one query. Without them pages show ids. */
export const namesIn = (
  { names }: Pick<ReadModels, 'names'>,
  shown: readonly About[],
): Promise<ReadonlyMap<string, string>> => names(shown).catch(() => new Map<string, string>());

const entityOf = (kind: About['kind']) => entities.find(({ name }) => name === kind);

/** `break-glass` stands in place of a user. */
const named = ({ base, names, pageOf }: Showing, kind: About['kind'], id: string): Html => {
  const about = entityOf(kind);
  const shown = nameOf(names.get(id) ?? id);
  const page = about?.isId(id) === true ? pageOf(about, id) : null;
  return page === null ? shown : link(base + page, shown);
};

const isTime = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text);

const nothing = ({ reader }: Showing, isShort: boolean): Html =>
  markup`<span class="soft">${isShort ? '–' : reader.words.operator.empty}</span>`;

/** A value of an answer; `isShort` in a list. `of`: the answer that it is in. */
export const shownOf = (
  showing: Showing,
  field: ShownField,
  value: unknown,
  { isShort = false, of = {} }: { readonly isShort?: boolean; readonly of?: Json } = {},
): Part => {
  const { reader } = showing;
  const { words } = reader;
  const { as, names, tones, name } = field;
  if (value === null || value === undefined || value === '') return nothing(showing, isShort);
  if (as === 'standing') return standing(words, of);
  if (as === 'proposal') return proposal(words, of);
  if (as === 'counts') return countsOf(reader, value as readonly Count[]);
  if (as === 'refusals') return refusalsOf(showing, value as AddonUsage['days'][number]['refusals']);
  if (as === 'changes')
    return markup`${(value as readonly Difference[]).map((one) => differenceOf(showing, one))}`;
  if (Array.isArray(value)) return manyOf(showing, field, value, isShort);
  if (typeof value === 'object') return objectOf(showing, field.fields, value as Json);
  if (as === 'logo' && showing.logo)
    return markup`<img src="${dataUrlOf(showing.logo)}" alt="" width="64" height="64">`;
  if (typeof value === 'boolean') return value ? words.operator.yes : words.operator.no;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (isTime(text)) return isShort ? shortTime(reader, text) : moment(reader, text);
  if (as === 'day') return markup`<time datetime="${text}">${makeReader(words).dayOf(text)}</time>`;
  if (as === 'state') return badge(tones?.[text] ?? 'off', valueIn(words, text));
  if (as === 'word') return valueIn(words, text);
  if (as === 'sentence') return textIn(words, text);
  if (names !== undefined) return named(showing, names, text);
  return name.endsWith('_id') ? markup`<code class="id">${text}</code>` : nameOf(text);
};

/** In a list, two and the number of the others. */
const manyOf = (showing: Showing, field: ShownField, value: readonly unknown[], isShort: boolean): Part => {
  if (value.length === 0) return nothing(showing, isShort);
  if (field.as === 'scopes') return scopesOf(showing, value);
  const most = isShort ? 2 : value.length;
  const shown = value
    .slice(0, most)
    .map((item) => markup`<div>${shownOf(showing, field, item, { isShort })}</div>`);
  return markup`${shown}${value.length > most && markup`<div class="soft">${showing.reader.words.operator.more(value.length - most)}</div>`}`;
};

const scopesOf = ({ reader }: Showing, value: readonly unknown[]): Part => {
  return markup`<span title="${value.join(' ')}">${accessInShort(reader, value as readonly Scope[])}</span>`;
};

/** What a publisher asks for, with its state: "Website: https://…; Support: https://…". */
const proposal = (words: Words, asked: Json): Html => {
  const { state } = asked as ChangeItem;
  const parts = fieldsOf(changeFields).flatMap(({ name }) => {
    const values = [asked[name] ?? []].flat().map(String);
    return values.length === 0 ? [] : [`${labelOf(words, name)}: ${values.join(' ')}`];
  });
  return markup`${badge(changeTones[state], valueIn(words, state))} <bdi>${parts.join('; ')}</bdi>`;
};

type Count = AddonUsage['days'][number]['requests'][number];

const countsOf = (reader: Reader, counts: readonly Count[]): Html =>
  markup`${counts.map(({ name, count }) => markup`<div>${name}: ${reader.number(count)}</div>`)}`;

/** Why, each with the page that explains it and the newest request. */
const refusalsOf = ({ base, reader }: Showing, refusals: AddonUsage['days'][number]['refusals']): Html =>
  markup`${refusals.map(({ reason, endpoint, count, explanation, last_request_id: id }) => markup`<div>${reader.number(count)} × ${explanation ? link(`${base}/problems/${explanation.split('/').at(-1) ?? ''}`, markup`<bdi>${reason}</bdi>`) : markup`<bdi>${reason}</bdi>`} <span class="soft"><bdi>${endpoint}</bdi></span> <code class="id from-m">${id}</code></div>`)}`;

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

const objectOf = (showing: Showing, fields: ShownFields, value: Json): Part => {
  const { words } = showing.reader;
  const { role, organization_id: organization, source } = value;
  if (typeof role === 'string') {
    const of = typeof organization === 'string' ? organization : null;
    const text = words.operator.role(valueIn(words, role), of && markName(of), source === 'claim');
    return withParts(text, of === null ? {} : { [of]: named(showing, 'organization', of) });
  }
  const parts = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  const text = (label: string) => words.operator.part(label, label.toLowerCase(), markName('value'));
  return markup`${parts.map(([name, part], index) => markup`${index > 0 && ', '}${withParts(text(labelOf(words, name)), { value: shownOf(showing, fieldOf(fields, name), part, { isShort: true }) })}`)}`;
};

/** What the shape of an answer does not have is shown as it is. */
const fieldOf = (fields: ShownFields, name: string): ShownField =>
  fields.get(name) ?? { name, fields: new Map() };

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

/** The facts of an item of a list: its columns. */
export const itemFacts = (showing: Showing, about: Entity, { of }: Task, item: Json): readonly FactRow[] => {
  const part = itemsOf(about, of?.part);
  const fields = shownFields(part?.item);
  return Object.entries(part?.columns ?? {})
    .filter(([key]) => isThere(item[key]))
    .map(([key]) => ({
      label: columnIn(showing.reader.words, about, part?.name ?? null, key),
      value: shownOf(showing, fieldOf(fields, key), item[key], { of: item }),
    }));
};

/** The facts of one, its id last. `change`: the page on which a property is changed. */
export const factsOf = (
  showing: Showing,
  about: Entity,
  json: Json,
  change: (key: string) => string | null = () => null,
): readonly FactRow[] => {
  const { words } = showing.reader;
  const fields = shownFields(about.shape);
  const row = (key: string): FactRow => ({
    label: labelOfField(words, fieldOf(fields, key)),
    value: shownOf(showing, fieldOf(fields, key), json[key], { of: json }),
    change: change(key),
  });
  const isNamed = typeof json['name'] === 'string';
  const keys = Object.keys(json).filter(
    (key) => key !== about.idKey && (key !== 'name' || !isNamed) && fields.get(key)?.isRepeated !== true,
  );
  return [
    ...(isNamed ? ['name', ...keys] : keys).map(row),
    { label: about.idKey, value: markup`<code class="id">${String(json[about.idKey])}</code>` },
  ];
};

/** What a task has answered in addition; what is null is not known. */
export const answerFacts = (showing: Showing, fields: ShownFields, json: Json): readonly FactRow[] =>
  Object.entries(json)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => ({
      label: labelOfField(showing.reader.words, fieldOf(fields, key)),
      value: shownOf(showing, fieldOf(fields, key), value, { of: json }),
    }));

const labelOfField = (words: Words, { label, name }: ShownField): string => labelOf(words, label ?? name);

/** The columns of a list that have a value: the name leads to the page of each, where its id is. */
export const columnsOf = (
  showing: Showing,
  entity: Entity,
  part: Items | null,
  items: readonly Json[],
  sorting: Sorting = () => undefined,
): readonly Column<Json>[] => {
  const { words } = showing.reader;
  const naming = { words, names: showing.names };
  const { columns } = part ?? entity;
  const about = part === null ? entity : null;
  const fields = shownFields(part === null ? entity.shape : part.item);
  const label = (key: string) => columnIn(words, entity, part && part.name, key);
  const isLeft = (key: string) => {
    const { isTitle, isRepeated } = fieldOf(fields, key);
    return key === about?.idKey || isTitle === true || isRepeated === true;
  };
  const first = (item: Json): Part => {
    if (about === null) return null;
    const id = String(item[about.idKey]);
    const isNamed = titleOf(naming, item) !== null;
    const title = isNamed ? titleHtml(naming, item) : nameOf(id);
    const page = showing.pageOf(about, id);
    const named = page === null ? title : link(showing.base + page, title);
    const { email } = item;
    // Where there is no room for its column: it distinguishes people of one name.
    return markup`${named}${typeof email === 'string' && markup`<div class="to-m soft small">${nameOf(email)}</div>`}`;
  };
  const asOf = (key: string) => fieldOf(fields, key).as;
  /** What is proposed comes first, with its state; an id that has no name is what one looks for last. */
  const isTold = Object.keys(columns).some((key) => asOf(key) === 'proposal');
  const rankOf = ([key]: readonly [string, string]) =>
    about === null && key.endsWith('_id') && fieldOf(fields, key).names === undefined
      ? 1
      : -Number(asOf(key) === 'proposal');
  const rest = Object.entries(columns)
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .filter(
      ([key]) =>
        !isLeft(key) &&
        !(isTold && asOf(key) === 'state') &&
        (asOf(key) === 'proposal' || items.some((item) => isThere(item[key]))),
    )
    .map(([key], index): Column<Json> => {
      const field = fieldOf(fields, key);
      const from = about === null && index === 0 ? undefined : field.from;
      return {
        label: field.label === undefined ? label(key) : labelOfField(words, field),
        ...(from && { from }),
        sort: sorting(key),
        cell: (item) => shownOf(showing, field, item[key], { isShort: true, of: item }),
      };
    });
  const { created } = words.parts;
  const sort = sorting('created_at');
  const cell = (item: Json) => shortTime(showing.reader, createdAt(about, item));
  return about === null
    ? rest
    : [
        {
          label: columns['name'] === undefined ? capitalized(nounOf(words, about)) : label('name'),
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

/** Of an add-on. */
const standing = (words: Words, { suspended, retired }: Json): Html => {
  const now = retired === true ? 'retired' : suspended === true ? 'suspended' : 'in use';
  return badge(standings[now], valueIn(words, now));
};

/** Its lists, and lists of other things of the operators that can be filtered by one of these. */
export const relatedTo = (words: Words, about: Entity, id: string) => [
  ...(about.parts ?? []).map(({ name }) => ({
    href: `${pageOfOperators(about, id)}/${name}`,
    label: labelOf(words, name),
  })),
  ...entities
    .filter(
      (other) =>
        entities.includes(about) &&
        other !== about &&
        fieldsOf(other.filters).some(({ name }) => name === about.name),
    )
    .map((other) => ({
      href: `/operator/${other.plural}?${new URLSearchParams({ [about.name]: id }).toString()}`,
      label: headingOf(words, other),
    })),
];
