import { looksLikeAddress } from '../../domain/kernel/name.ts';
import type { Field } from '../../tasks/fields.ts';
import type { Json, Services, Task } from '../../tasks/task.ts';

/** So many are a choice; of more, these are suggested. */
const mostChoices = 50;

/** What a field can be filled in with. */
export type Choice = {
  /** With ids; a label that is null is a word. */
  readonly options: readonly { readonly value: string; readonly label: string | null }[];
  /** What people type; null: the options are all that there is. */
  readonly suggested: readonly { readonly value: string; readonly label: string }[] | null;
};

export type Choices = Readonly<Record<string, Choice>>;

type Found = {
  readonly kind: string | null;
  readonly id: string;
  readonly name: string | null;
  readonly email?: string | null;
};

/** What the fields of a filter or a form can name: all of it, or what is possible now. Without the read models everything is typed. */
export const choicesOf = async (
  services: Services,
  fields: readonly Field[],
  form?: { readonly task: Task; readonly id: string; readonly json: Json },
): Promise<Choices> => {
  // A publisher does not see what there is.
  if (services.own) return {};
  try {
    return Object.fromEntries(
      (await foundFor(services, fields, form)).map(([name, found]) => [name, choiceOf(found)]),
    );
  } catch {
    return {};
  }
};

const foundFor = async (
  services: Services,
  fields: readonly Field[],
  form: Parameters<typeof choicesOf>[2],
): Promise<readonly (readonly [field: string, found: readonly Found[]])[]> => {
  const { readModels } = services;
  const limit = mostChoices + 1;
  const among = form?.task.among ?? {};
  const general = fields.filter(({ name, refersTo }) => refersTo !== null && !(name in among));
  const kinds = [...new Set(general.flatMap(({ refersTo }) => refersTo ?? []))];
  const [rows, special] = await Promise.all([
    kinds.length === 0 ? [] : readModels.choices(kinds, form !== undefined, limit),
    Promise.all(
      fields
        .filter(({ name }) => name in among)
        .map(async ({ name, refersTo: kind }) => {
          const ids = (await among[name]?.(services, form?.id ?? '', form?.json ?? {}, limit)) ?? [];
          const names =
            kind === null || kind === 'publisher'
              ? null
              : await readModels.names(ids.slice(0, limit).map((id) => ({ kind, id })));
          return [name, ids.map((id) => ({ kind, id, name: names && (names.get(id) ?? id) }))] as const;
        }),
    ),
  ]);
  return [
    ...general.map(({ name, refersTo }) => [name, rows.filter(({ kind }) => kind === refersTo)] as const),
    ...special,
  ];
};

/** A name that looks like an address is nobody's address (FX-85). */
const labelOf = ({ kind, id, name, email }: Found): string | null => {
  if (kind === 'user' && name !== null && looksLikeAddress(name)) return email ?? id;
  return email ? `${name}, ${email}` : name;
};

const choiceOf = (found: readonly Found[]): Choice => {
  const labels = found.map(labelOf);
  const shown = found.slice(0, mostChoices);
  return {
    options: shown.map(({ id }, index) => {
      const label = labels[index] ?? null;
      const isTwice = label !== null && labels.indexOf(label) !== labels.lastIndexOf(label);
      return { value: id, label: isTwice ? `${label}, ${id}` : label };
    }),
    suggested:
      found.length <= mostChoices
        ? null
        : shown.map((one) => {
            const label = labelOf(one) ?? one.id;
            return { value: one.kind === 'user' ? (one.email ?? one.id) : label, label };
          }),
  };
};
