import { typesWithSubjects } from '../../domain/events.ts';
import type { ParameterError } from '../contracts/problem.ts';
import type { FilterField } from './views/history-filters.ts';
import type { Params } from '../requests/params.ts';
import type { QuestionName } from './question.ts';

type Known = { readonly addonId: string; readonly name: string };
type Described = Pick<FilterField, 'label' | 'hint'>;

const anId = 'An id: 26 digits and capital letters.';
const aTime = 'As 2026-05-03, or 2026-05-03T16:20:05Z.';

const described: Readonly<Partial<Record<QuestionName, Described>>> = {
  addon: { label: 'Add-on', hint: null },
  user: { label: 'User', hint: anId },
  grant: { label: 'Grant', hint: anId },
  type: { label: 'Event', hint: null },
  actor: { label: 'Who acted', hint: 'The id of a user, break-glass, operator, or addon: and a client_id.' },
  from: { label: 'From', hint: aTime },
  to: { label: 'To', hint: aTime },
  days: { label: 'Days without use', hint: 'Default: 90.' },
};

/**
 * The filters of a page with the values that were sent. Parameters that are no filters (a position, a limit) are left
 * out.
 */
export const filterFields = (
  names: readonly QuestionName[],
  query: Params,
  addons: readonly Known[],
  errors: readonly ParameterError[],
): readonly FilterField[] =>
  names.flatMap((name): readonly FilterField[] => {
    const words = described[name];
    if (!words) return [];
    const value = (query.get(name)?.[0] ?? '').slice(0, 100);
    const problem = errors.find(({ parameter }) => parameter === name)?.allowed ?? null;
    return [{ name, ...words, value, problem, options: optionsOf(name, addons) }];
  });

const optionsOf = (name: QuestionName, addons: readonly Known[]): FilterField['options'] => {
  if (name === 'addon') return addons.map(({ addonId, name: label }) => ({ value: addonId, label }));
  if (name === 'type') return typesWithSubjects.toSorted().map((type) => ({ value: type, label: type }));
  return null;
};
