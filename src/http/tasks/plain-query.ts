import { fieldsOf } from '../../tasks/fields.ts';
import type { Json } from '../../tasks/task.ts';
import type { ParameterTable } from '../contracts/parameters.ts';
import type { Params } from '../requests/params.ts';

/** A parameter that is sent twice stays a list, which only a field for several accepts. */
export const plainQuery = (table: ParameterTable, query: Params): Json => {
  const fields = new Map(fieldsOf(table).map((field) => [field.name, field]));
  return Object.fromEntries(
    [...query].map(([name, values]) => {
      const [first = ''] = values;
      if (values.length > 1 || fields.get(name)?.kind === 'several') return [name, values];
      return [name, fields.get(name)?.kind === 'number' && /^\d{1,6}$/.test(first) ? Number(first) : first];
    }),
  );
};
