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
import { isUlid, timeOfUlid } from '../../domain/kernel/ids.ts';
import type { NameOf } from '../../domain/event-subjects.ts';
import { markName, sentenceOf, textOf } from '../../domain/kernel/sentence.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import {
  badge,
  day,
  link,
  moment,
  nameOf,
  shortTime,
  table,
  type Sorting,
  type FactRow,
} from '../pages/components.ts';
import { accessChips, lead, type ListColumn } from '../pages/list.ts';
import { explanationOf } from '../docs/explanations.ts';
import { dataUrlOf } from '../pages/data-url.ts';
import { markup, type Html, type Part } from '../pages/html.ts';
import type { Words } from '../../common/words.ts';
import { makeReader, type Reader } from '../words/reader.ts';
import { capitalized, columnIn, labelOf, nounOf, textIn, valueIn, withParts } from './in-words.ts';
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
  shown: readonly NameOf[],
): Promise<ReadonlyMap<string, string>> => names(shown).catch(() => new Map<string, string>());

const entityOf = (kind: NameOf['kind']) => entities.find(({ name }) => name === kind);

/** `break-glass` stands in place of a user. */
const named = ({ base, names, pageOf }: Showing, kind: NameOf['kind'], id: string): Html => {
  const about = entityOf(kind);
  const shown = nameOf(names.get(id) ?? id);
  const page = about?.isId(id) === true ? pageOf(about, id) : null;
  return page === null ? shown : link(base + page, shown);
};

const isTime = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text);

/** A list says by itself that there is nothing. */
const nothing = ({ reader }: Showing, isShort: boolean): Part =>
  isShort ? null : markup`<span class="soft">${reader.words.operator.empty}</span>`;

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
    return isShort
      ? reader.list((value as readonly Difference[]).map(({ field }) => labelOf(words, field)))
      : differencesOf(reader, value as readonly Difference[]);
  if (Array.isArray(value)) return manyOf(showing, field, value, isShort);
  if (typeof value === 'object') return objectOf(showing, field.fields, value as Json);
  if (as === 'logo' && showing.logo)
    return markup`<img src="${dataUrlOf(showing.logo)}" alt="" width="64" height="64">`;
  if (typeof value === 'boolean') return value ? words.operator.yes : words.operator.no;
  if (typeof value === 'number') return reader.number(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (isTime(text)) return isShort ? shortTime(reader, text) : moment(reader, text);
  if (as === 'day') return markup`<time datetime="${text}">${makeReader(words).dayOf(text)}</time>`;
  if (as === 'state') return badge(tones?.[text] ?? 'off', valueIn(words, text));
  if (as === 'word') return valueIn(words, text);
  if (as === 'sentence') return textIn(words, text);
  if (as === 'reason') {
    const explained = explanationOf(showing.base, String(of['endpoint']), text);
    return explained === null ? nameOf(text) : link(explained, nameOf(text));
  }
  if (names !== undefined) return named(showing, names, text);
  return name.endsWith('_id') ? markup`<code class="id">${text}</code>` : nameOf(text);
};

const mostInRow = 2;

/** In a list, two and the number of the others. */
const manyOf = (showing: Showing, field: ShownField, value: readonly unknown[], isShort: boolean): Part => {
  if (value.length === 0) return nothing(showing, isShort);
  if (field.as === 'scopes') return scopesOf(showing, value as readonly Scope[], isShort);
  if (!isShort) return value.map((item) => markup`<div>${shownOf(showing, field, item)}</div>`);
  const shown = value.slice(0, mostInRow).map((item) => shownOf(showing, field, item, { isShort }));
  const more = value.length - mostInRow;
  return [
    shown.map((item, index) => [index > 0 && ', ', item]),
    more > 0 && markup` <span class="soft">${showing.reader.words.operator.more(more)}</span>`,
  ];
};

const scopesOf = ({ reader }: Showing, scopes: readonly Scope[], isShort: boolean): Part =>
  isShort
    ? accessChips(reader, scopes)
    : markup`<span title="${scopes.join(' ')}">${accessInShort(reader, scopes)}</span>`;

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

/** What a change does: each field before and after, with what leads to a new host. */
const differencesOf = ({ words }: Reader, differences: readonly Difference[]): Html => {
  const { operator: t } = words;
  const each = (uris: readonly string[], others: readonly string[], marked: readonly string[] | null) =>
    uris.length === 0
      ? markup`<span class="soft">${t.empty}</span>`
      : uris.map((uri) => {
          const shown = markup`<bdi>${uri}</bdi>`;
          const changed = marked === null ? markup`<del>${shown}</del>` : markup`<ins>${shown}</ins>`;
          return markup`<div>${others.includes(uri) ? shown : changed} ${marked?.includes(uri) === true && badge('wait', t.newHost)}</div>`;
        });
  return table(
    t.differences,
    [
      { label: t.field, cell: ({ field }) => labelOf(words, field) },
      { label: t.before, cell: ({ before, after }) => each(before, after, null) },
      { label: t.after, cell: ({ before, after, with_new_host: marked }) => each(after, before, marked) },
    ],
    differences,
    true,
  );
};

const objectOf = (showing: Showing, fields: ShownFields, value: Json): Part => {
  const { words } = showing.reader;
  const { role, organization_id: organization, publisher_id: publisher, source } = value;
  if (typeof role === 'string') {
    const kind = typeof publisher === 'string' ? 'publisher' : 'organization';
    const of = [organization, publisher].find((id) => typeof id === 'string') ?? null;
    const text = words.operator.role(valueIn(words, role), of && markName(of), source === 'claim');
    return withParts(text, of === null ? {} : { [of]: named(showing, kind, of) });
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

/** The facts of an item of a list: its columns. `which`: those of one line each, or the others. */
export const itemFacts = (
  showing: Showing,
  about: Entity,
  { of }: Task,
  item: Json,
  which: 'all' | 'briefly' | 'whole' = 'all',
): readonly FactRow[] => {
  const part = itemsOf(about, of?.part);
  const fields = shownFields(part?.item);
  const isWhole = (key: string) => fieldOf(fields, key).as === 'changes';
  const isId = (key: string) => key.endsWith('_id') && fieldOf(fields, key).names === undefined;
  return Object.keys(part?.columns ?? {})
    .toSorted((one, other) => Number(isId(one)) - Number(isId(other)))
    .filter((key) => isThere(item[key]) && (which === 'all' || isWhole(key) === (which === 'whole')))
    .map((key) => ({
      label: columnIn(showing.reader.words, about, part?.name ?? null, key),
      value: shownOf(showing, fieldOf(fields, key), item[key], { of: item }),
    }));
};

/** What is known of one: what people see, what programmers need, and what is not set, each with the page that changes it. */
export type Facts = {
  readonly plain: readonly FactRow[];
  readonly technical: readonly FactRow[];
  readonly unset: readonly { readonly label: string; readonly change: string | null }[];
};

/** @param change the page on which a property is changed */
export const factsOf = (
  showing: Showing,
  about: Entity,
  json: Json,
  change: (key: string) => string | null,
): Facts => {
  const { words } = showing.reader;
  const fields = shownFields(about.shape);
  const row = (key: string) => ({
    label: labelOfField(words, fieldOf(fields, key)),
    value: shownOf(showing, fieldOf(fields, key), json[key], { of: json }),
    change: change(key),
  });
  const keys = Object.keys(json).filter((key) => {
    const { isRepeated, item, as } = fieldOf(fields, key);
    return (
      key !== about.idKey && isRepeated !== true && item === undefined && as !== 'standing' && as !== 'state'
    );
  });
  const isSet = (key: string) =>
    isThere(json[key]) && !(fieldOf(fields, key).as === 'logo' && json[key] === false);
  const isTechnical = (key: string) => fieldOf(fields, key).isTechnical === true;
  const there = keys.filter(isSet);
  const id = { label: about.idKey, value: markup`<code class="id">${String(json[about.idKey])}</code>` };
  const technical = there.filter(isTechnical).map(row);
  const plain = there.filter((key) => !isTechnical(key)).map(row);
  return {
    plain: technical.length > 0 ? plain : [...plain, id],
    technical: technical.length > 0 ? [...technical, id] : [],
    unset: keys.filter((key) => !isSet(key)).map(row),
  };
};

/** Below the name of a thing, where its page begins: what distinguishes it, its state, and since when it is there. */
export const headOf = (showing: Showing, about: Entity, json: Json): Part => {
  const { words } = showing.reader;
  const parts = [...shownFields(about.shape).values()].flatMap((field): readonly Part[] => {
    const { name, as, isSecond, inHead } = field;
    const value = json[name];
    if (as === 'standing' || as === 'state') return [shownOf(showing, field, value, { of: json })];
    if (inHead === true && value === true) return [badge('good', labelOfField(words, field))];
    return isSecond === true && isThere(value) ? [shownOf(showing, field, value)] : [];
  });
  const created = isUlid(String(json[about.idKey])) && words.operator.since(markName('time'));
  return [
    ...parts.map((part) => [part, ' ']),
    created &&
      markup`<span class="soft">${withParts(created, { time: day(showing.reader, createdAt(about, json)) })}</span>`,
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
): readonly ListColumn<Json>[] => {
  const { words } = showing.reader;
  const { columns } = part ?? entity;
  const fields = shownFields(part === null ? entity.shape : part.item);
  const isLeft = (key: string) => {
    const { isTitle, isRepeated, isSecond } = fieldOf(fields, key);
    return (
      (part === null && key === entity.idKey) || isTitle === true || isRepeated === true || isSecond === true
    );
  };
  const asOf = (key: string) => fieldOf(fields, key).as;
  const isState = (key: string) => asOf(key) === 'state' || asOf(key) === 'standing';
  /** What is proposed comes first, with its state; an id that has no name is what one looks for last. */
  const isTold = Object.keys(columns).some((key) => asOf(key) === 'proposal');
  const isId = (key: string) => key.endsWith('_id') && fieldOf(fields, key).names === undefined;
  const rankOf = (key: string) =>
    isState(key) ? 2 : part !== null && isId(key) ? 1 : -Number(asOf(key) === 'proposal');
  const rest = Object.keys(columns)
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .filter(
      (key) =>
        !isLeft(key) &&
        !(isTold && isState(key)) &&
        !isSame(items, key) &&
        (asOf(key) === 'proposal' ||
          items.some((item) => isThere(item[key]) && !(isState(key) && isUsual(fieldOf(fields, key), item)))),
    )
    .map((key): ListColumn<Json> => {
      const field = fieldOf(fields, key);
      return {
        label:
          field.label === undefined
            ? columnIn(words, entity, part && part.name, key)
            : labelOfField(words, field),
        ...(field.from && { from: field.from }),
        ...(isState(key) && { as: 'state' as const }),
        isId: isId(key),
        isNumber: items.some((item) => typeof item[key] === 'number'),
        sort: sorting(key),
        cell: (item) =>
          isState(key) && isUsual(field, item)
            ? null
            : shownOf(showing, field, item[key], { isShort: true, of: item }),
      };
    });
  const second = (item: Json): Part => {
    const values = [...fields.values()].filter(
      ({ isSecond, name }) => isSecond === true && isThere(item[name]),
    );
    return values.length === 0
      ? null
      : values.map((field, index) => [
          index > 0 && ' · ',
          shownOf(showing, field, item[field.name], { isShort: true }),
        ]);
  };
  if (part !== null) {
    const [first, ...others] = rest;
    if (first === undefined) return rest;
    const initialIn = (item: Json) => {
      const id = Object.entries(item).find(
        ([key]) => fieldOf(fields, key).names !== undefined && key in columns,
      )?.[1];
      return typeof id === 'string' ? { initial: showing.names.get(id) ?? id } : {};
    };
    const isNamed =
      fieldOf(fields, Object.keys(columns).find((key) => !isLeft(key)) ?? '').names !== undefined;
    return [
      {
        ...first,
        cell: (item) =>
          lead({ name: first.cell(item), second: second(item), ...(isNamed && initialIn(item)) }),
      },
      ...others,
    ];
  }
  const { created } = words.parts;
  const sort = sorting('created_at');
  return [
    {
      label:
        columns['name'] === undefined
          ? capitalized(nounOf(words, entity))
          : columnIn(words, entity, null, 'name'),
      sort: sorting('name'),
      cell: (item) => leadOf(showing, entity, item, second(item)),
    },
    ...rest.filter(({ as }) => as !== 'state'),
    ...(sort
      ? [
          {
            label: created,
            from: 'l' as const,
            sort,
            cell: (item: Json) => shortTime(showing.reader, createdAt(entity, item)),
          },
        ]
      : []),
    ...rest.filter(({ as }) => as === 'state'),
  ];
};

const leadOf = (showing: Showing, about: Entity, item: Json, second: Part): Html => {
  const naming = { words: showing.reader.words, names: showing.names };
  const id = String(item[about.idKey]);
  const title = titleOf(naming, item);
  const html = title === null ? nameOf(id) : titleHtml(naming, item);
  const page = showing.pageOf(about, id);
  return lead({
    name: page === null ? html : link(showing.base + page, html),
    initial: title ?? id,
    second,
  });
};

/** Where all are, or are not, it distinguishes nothing. */
const isSame = (items: readonly Json[], key: string): boolean =>
  items.length > 1 &&
  typeof items[0]?.[key] === 'boolean' &&
  items.every((item) => item[key] === items[0]?.[key]);

/** What most are is not said of each. */
const isUsual = ({ as, tones, name }: ShownField, item: Json): boolean =>
  as === 'standing' ? standingOf(item) === 'in use' : tones?.[String(item[name])] === 'good';

/** Ids begin with the time. */
export const createdAt = ({ idKey }: Pick<Entity, 'idKey'>, item: Json): string =>
  new Date(timeOfUlid(String(item[idKey]))).toISOString();

const isThere = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/** Of an add-on. */
const standing = (words: Words, addon: Json): Html => {
  const now = standingOf(addon);
  return badge(standings[now], valueIn(words, now));
};

const standingOf = ({ suspended, retired }: Json): keyof typeof standings =>
  retired === true ? 'retired' : suspended === true ? 'suspended' : 'in use';

/** Other things of an audience that can be filtered by one of these. */
export const relatedTo = (all: readonly Entity[], about: Entity): readonly Entity[] =>
  all.filter((other) => other !== about && fieldsOf(other.filters).some(({ name }) => name === about.name));
