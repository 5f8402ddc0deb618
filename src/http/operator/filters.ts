import { entities } from '../../administration/entities.ts';
import { fieldsOf } from '../../administration/fields.ts';
import type { Entity, Json, Services } from '../../administration/task.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { FormField, Tab } from '../pages/components.ts';
import { titleOf, type Showing } from './shown.ts';
import type { Filled } from './task-forms.ts';

/** Fields that name a user, an organization or an add-on: pages also take a name or an e-mail address. */
const naming = ['user', 'organization', 'addon'];

type Resolved = {
  readonly ids: Readonly<Record<string, string>>;
  readonly problems: Filled['problems'];
  /** Where several match: the reader chooses. */
  readonly options: Filled['options'];
};

const mostOffered = 20;

/** Finds the ids of what was named by something else (PG-03). */
export const idsOfNames = async (services: Services, given: Json): Promise<Resolved> => {
  const ids: Record<string, string> = {};
  const options: Record<string, FormField['options']> = {};
  const problems: { readonly field: string; readonly text: string }[] = [];
  for (const field of naming) {
    const text = given[field];
    const about = entities.find(({ name }) => name === field);
    if (typeof text !== 'string' || isUlid(text) || about === undefined) continue;
    const { items } = await about.list(
      services,
      { search: text.slice(0, 200) },
      { after: null, limit: mostOffered },
    );
    const found = items.map((item) => ({ value: String(item[about.idKey]), label: labelOf(item) }));
    const [only] = found;
    if (only !== undefined && found.length === 1) ids[field] = only.value;
    else if (found.length === 0)
      problems.push({ field, text: 'Nobody and nothing has this name, address or id.' });
    else {
      options[field] = found;
      problems.push({ field, text: 'Several match: choose one.' });
    }
  }
  return { ids, problems, options };
};

const labelOf = (item: Json): string => {
  const title = titleOf({ names: new Map() }, item) ?? '';
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
  const valueOf = (name: string) => given.find(([each]) => each === name)?.[1][0] ?? '';
  const fields = fieldsOf(about.filters);
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
    label: value === '' ? 'All' : value.charAt(0).toUpperCase() + value.slice(1),
    isCurrent: valueOf(tabField?.name ?? '') === value,
  });
  const kept = tabField === undefined ? [] : [[tabField.name, valueOf(tabField.name)] as const];
  return {
    tabs: tabField === undefined ? [] : ['', ...tabField.values].map(tabOf),
    kept: kept.filter(([, value]) => value !== ''),
    fields: fields
      .filter((field) => field !== tabField)
      .map(({ name, kind, title, description, values }): FormField => {
        const several = options[name];
        const value = valueOf(name).slice(0, 1_000);
        return {
          id: name,
          name,
          kind: several ? 'choice' : kind === 'choice' ? 'choice' : name === 'search' ? 'search' : 'text',
          label: title,
          value: showing.names.get(value) ?? value,
          hint: naming.includes(name) ? null : description,
          problem: problems.find(({ field }) => field === name)?.text ?? null,
          options: several ?? [
            { value: '', label: 'All' },
            ...values.map((each) => ({ value: each, label: each })),
          ],
        };
      }),
  };
};
