import { entities } from '../../tasks/entities.ts';
import { fieldsOf, msOfAge, type Field } from '../../tasks/fields.ts';
import type { Candidate, Entity, Json, Services } from '../../tasks/task.ts';
import { looksLikeAddress } from '../../domain/kernel/name.ts';
import { idOf } from '../../tasks/find.ts';
import { nameOf, type FormField, type Tab } from '../pages/components.ts';
import type { Words } from '../../common/words.ts';
import type { Choices } from './choices.ts';
import { capitalized, fieldIn, valueIn } from './in-words.ts';
import { addressOf, type Sent } from './paging.ts';
import type { Reader } from '../words/reader.ts';
import { titleOf, type Showing } from './shown.ts';
import { optionsIn, type Filled } from './task-forms.ts';

type Resolved = {
  readonly ids: Readonly<Record<string, string>>;
  readonly problems: Filled['problems'];
  /** Where several match: the reader chooses. */
  readonly options: Filled['options'];
};

const mostOffered = 20;

/**
 * Finds the ids of what was named by something else (PG-03): by an address, or an exact name of what is no person (AP-09). People of
 * a name, and what has these starts of words in its name, are offered.
 */
export const idsOfNames = async (
  words: Words,
  services: Services,
  input: Entity['filters'],
  given: Json,
): Promise<Resolved> => {
  const ids: Record<string, string> = {};
  const options: Record<string, FormField['options']> = {};
  const problems: { readonly field: string; readonly text: string }[] = [];
  for (const { name: field, refersTo, kind } of fieldsOf(input)) {
    const text = given[field];
    const about = entities.find(({ name }) => name === refersTo);
    if (typeof text !== 'string' || about === undefined || kind === 'several') continue;
    const found = await idOf(services, about, text);
    if (found.ok && about.isId(found.value)) {
      ids[field] = found.value;
      continue;
    }
    const offered = found.ok ? await alikeOf(words, services, about, text) : optionsOf(found.candidates);
    if (offered.length > 0) options[field] = offered;
    problems.push({
      field,
      text: offered.length > 0 ? words.operator.severalMatch : words.operator.nobodyNamed,
    });
  }
  return { ids, problems, options };
};

const optionsOf = (candidates: readonly Candidate[] = []) =>
  candidates.map(({ id, name, email }) => ({
    value: id,
    label: [name, email, id].filter(Boolean).join(', '),
  }));

/** Those with these starts of words in the name. A name is nobody's address. */
const alikeOf = async (words: Words, services: Services, about: Entity, text: string) => {
  if (about.offer && looksLikeAddress(text)) return [];
  const page = { after: null, limit: mostOffered };
  const { items } = await about.list(services, { search: text.slice(0, 200) }, page);
  return items.map((item) => ({ value: String(item[about.idKey]), label: labelOf(words, item) }));
};

const labelOf = (words: Words, item: Json): string => {
  const title = titleOf({ words, names: new Map() }, item) ?? '';
  const { email } = item;
  return typeof email === 'string' ? `${title}, ${email}` : title;
};

type Given = Resolved & {
  readonly given: Sent;
  readonly choices: Choices;
  readonly showing: Showing;
  /** How much waits in the list. */
  readonly waiting: number | null;
};

const mostTabs = 6;

/** The filter that is shown as tabs, and its values: of one that is on or off, only on. */
export const tabValuesOf = (about: Entity) => {
  const fields = fieldsOf(about.filters).filter(({ name }) => name !== 'sort');
  const isTabs = ({ kind, values }: Field) => kind === 'choice' && values.length <= mostTabs;
  const found = fields.find(({ name }) => name === 'state') ?? fields.find(isTabs);
  const values = found?.values.filter((value) => value !== 'false') ?? [];
  return { name: found?.name ?? '', values, field: found ?? null };
};

/** The tab of what needs work; null: there is none. */
const workTabOf = (about: Entity): string | null => about.work?.filters[tabValuesOf(about).name] ?? null;

/** The filters of a list: one as tabs, ids by their names, the rest as fields; and those that hold. */
export const filtersOf = (about: Entity, here: string, filters: Given) => {
  const { given, ids, problems, options, choices, showing, waiting } = filters;
  const { words } = showing.reader;
  const valueOf = (name: string) => given.find(([each]) => each === name)?.[1][0] ?? '';
  const tab = tabValuesOf(about);
  const tabOf = (value: string): Tab => ({
    href: addressOf(here, given, { [tab.name]: value }),
    label:
      value === ''
        ? words.operator.all
        : capitalized(
            value === 'true' && tab.field
              ? fieldIn(words, about, null, tab.field).title
              : valueIn(words, value),
          ),
    ...(value === workTabOf(about) && waiting !== null && { count: waiting, needsWork: waiting > 0 }),
    isCurrent: valueOf(tab.name) === value,
  });
  const kept = ['sort', tab.name].map((name) => [name, valueOf(name)] as const);
  const fields = fieldsOf(about.filters).filter(({ name }) => name !== 'sort' && name !== tab.name);
  const inWords = ({ name }: Field) => {
    const value = valueOf(name).slice(0, 1_000);
    const named = choices[name]?.options.find((option) => option.value === ids[name])?.label;
    return named ?? showing.names.get(value) ?? value;
  };
  return {
    tabs: tab.field === null ? [] : ['', ...tab.values].map(tabOf),
    kept: kept.filter(([, value]) => value !== ''),
    chips: fields
      .filter(({ name }) => valueOf(name) !== '')
      .map((field) => ({
        href: addressOf(here, given, { [field.name]: '' }),
        label: fieldIn(words, about, null, field).title,
        value: nameOf(field.kind === 'choice' ? valueIn(words, inWords(field)) : inWords(field)),
      })),
    fields: fields.map((field): FormField => {
      const { name, kind, values, offered } = field;
      const choice = choices[name];
      const isChoice = choice?.suggested === null;
      const label = inWords(field);
      const value = isChoice && label !== '' ? (ids[name] ?? label) : label;
      const several = options[name];
      const some = offered.length > 0 && value !== '' ? [...new Set([...offered, value])] : offered;
      return {
        id: name,
        name,
        kind:
          several || isChoice || kind === 'choice' || some.length > 0
            ? 'choice'
            : name === 'search'
              ? 'search'
              : 'text',
        label: fieldIn(words, about, null, field).title,
        value,
        hint: null,
        problem: problems.find((problem) => problem.field === name)?.text ?? null,
        suggested: choice?.suggested ?? null,
        options: several ?? [
          { value: '', label: words.operator.all },
          ...(isChoice ? optionsIn(words, choice, value === '' ? null : { value, label }) : []),
          ...values.map((each) => ({ value: each, label: valueIn(words, each) })),
          ...some.map((each) => ({ value: each, label: durationOf(showing.reader, each) })),
        ],
      };
    }),
  };
};

/** "90 days" of `90d`; what is no length of time stays. */
const durationOf = (reader: Reader, text: string): string => {
  const ms = msOfAge(text);
  return Number.isFinite(ms) ? reader.duration(ms / 1_000) : text;
};
