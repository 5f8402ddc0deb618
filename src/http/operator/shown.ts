import { entities } from '../../administration/entities.ts';
import { fieldsOf } from '../../administration/fields.ts';
import type { UserItem } from '../../administration/people/show-user.ts';
import type { Entity, Json } from '../../administration/task.ts';
import type { Fact, Shown } from './views/entity-page.ts';

export const pageOf = ({ plural }: Entity, id: string): string =>
  `/operator/${plural}/${encodeURIComponent(id)}`;

/** `redirect_uris` as "Redirect URIs". */
export const labelOf = (key: string): string => {
  const text = key
    .replace(/_id$/, '')
    .replaceAll('_', ' ')
    .replace(/\b(?:id|ur[il])(?=s?\b)/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** The page of what an id names, if operators have one for it. */
const linkOf = (key: string, id: string): string | null => {
  const about = entities.find(({ idKey }) => idKey === key);
  return about === undefined ? null : pageOf(about, id);
};

const isTime = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text);

type Names = Readonly<Record<string, string>>;

export const shownOf = (key: string, value: unknown, names: Names = {}): Shown => {
  if (value === null || value === undefined || value === '') return { kind: 'none' };
  if (Array.isArray(value))
    return value.length === 0
      ? { kind: 'none' }
      : {
          kind: 'many',
          items: value.map((item) =>
            shownOf(['administrators', 'auditors'].includes(key) ? 'user_id' : key, item, names),
          ),
        };
  if (typeof value === 'object') {
    if ('role' in value) return { kind: 'text', text: roleText(value as RoleItem), href: null };
    const parts = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
    return {
      kind: 'text',
      text: parts.map(([name, part]) => `${labelOf(name).toLowerCase()}: ${textOf(part)}`).join(', '),
      href: null,
    };
  }
  const text = textOf(value);
  if (isTime(text)) return { kind: 'time', at: text };
  const name = Object.hasOwn(names, text) ? names[text] : undefined;
  return {
    kind: 'text',
    text: name ?? text,
    href: linkOf(key, text),
    ...(name !== undefined && { id: text }),
  };
};

type RoleItem = UserItem['roles'][number];

const roleText = ({ role, organization_id: organization, source }: RoleItem): string =>
  `${role}${organization === null ? '' : ` of ${organization}`}${source === 'claim' ? ', by claim' : ''}`;

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(textOf).join(' ');
  return JSON.stringify(value);
};

export const factsOf = (json: Json, names?: Names): readonly Fact[] =>
  Object.entries(json).map(([key, value]) => ({ label: labelOf(key), value: shownOf(key, value, names) }));

/** One row of a list, in the order of the entity's columns; the first cell leads to its page. */
export const rowOf = (about: Entity, item: Json, names?: Names): readonly Fact[] =>
  cellsOf(about.columns, item, names).map(({ label, value }, index) => {
    const href = pageOf(about, textOf(item[about.idKey]));
    return { label, value: index === 0 && value.kind === 'text' ? { ...value, href } : value };
  });

export const cellsOf = (columns: Entity['columns'], item: Json, names?: Names): readonly Fact[] =>
  Object.entries(columns).map(([key, label]) => ({ label, value: shownOf(key, item[key], names) }));

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
export const headingOf = ({ plural }: Entity): string => headings[plural] ?? labelOf(plural);

const headings: Readonly<Record<string, string>> = { addons: 'Add-ons' };
