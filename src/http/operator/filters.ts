import { entities } from '../../tasks/entities.ts';
import { fieldsOf } from '../../tasks/fields.ts';
import type { Candidate, Entity, Json, Services } from '../../tasks/task.ts';
import { looksLikeAddress } from '../../domain/kernel/name.ts';
import { idOf } from '../../tasks/find.ts';
import type { FormField, Tab } from '../pages/components.ts';
import type { Words } from '../../common/words.ts';
import { capitalized, fieldIn, valueIn } from './in-words.ts';
import { titleOf, type Showing } from './shown.ts';
import type { Filled } from './task-forms.ts';

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

type Given = {
  readonly given: readonly (readonly [name: string, values: readonly string[]])[];
  readonly problems: Filled['problems'];
  readonly options: Filled['options'];
  readonly showing: Showing;
};

/** The filters of a list: the state as tabs, ids by their names, and the rest as fields. */
export const filtersOf = (about: Entity, here: string, { given, problems, options, showing }: Given) => {
  const { words } = showing.reader;
  const valueOf = (name: string) => given.find(([each]) => each === name)?.[1][0] ?? '';
  const fields = fieldsOf(about.filters).filter(({ name }) => name !== 'sort');
  const isTabs = ({ kind, values }: (typeof fields)[number]) => kind === 'choice' && values.length <= 6;
  const tabField = fields.find(({ name }) => name === 'state') ?? fields.find(isTabs);
  const to = (value: string) => {
    const others = given.flatMap(([name, [first = '']]): [string, string][] =>
      name === tabField?.name || first === '' ? [] : [[name, first]],
    );
    const query = new URLSearchParams([...others, ...(value === '' ? [] : [[tabField?.name ?? '', value]])]);
    return query.size === 0 ? here : `${here}?${query.toString()}`;
  };
  const tabOf = (value: string): Tab => ({
    href: to(value),
    label: value === '' ? words.operator.all : capitalized(valueIn(words, value)),
    isCurrent: valueOf(tabField?.name ?? '') === value,
  });
  const kept = ['sort', ...(tabField ? [tabField.name] : [])].map((name) => [name, valueOf(name)] as const);
  return {
    tabs: tabField === undefined ? [] : ['', ...tabField.values].map(tabOf),
    kept: kept.filter(([, value]) => value !== ''),
    fields: fields
      .filter((field) => field !== tabField)
      .map((field): FormField => {
        const { name, kind, values, refersTo } = field;
        const { title, description } = fieldIn(words, about, null, field);
        const several = options[name];
        const value = valueOf(name).slice(0, 1_000);
        return {
          id: name,
          name,
          kind: several ? 'choice' : kind === 'choice' ? 'choice' : name === 'search' ? 'search' : 'text',
          label: title,
          value: showing.names.get(value) ?? value,
          hint: refersTo === null ? description : null,
          problem: problems.find(({ field }) => field === name)?.text ?? null,
          options: several ?? [
            { value: '', label: words.operator.all },
            ...values.map((each) => ({ value: each, label: valueIn(words, each) })),
          ],
        };
      }),
  };
};
