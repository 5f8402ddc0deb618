import { problemKinds } from '../../src/http/answers/problems.ts';
import { fill } from './fill.ts';
import { codes, table } from './table.ts';

export const problemsPage = (): string => {
  const kinds = Object.entries(problemKinds);
  const statuses = [...new Set(kinds.map(([, { status }]) => status))].toSorted((one, other) => one - other);
  return fill('problems.md', {
    problems: table(
      ['status', 'problems'],
      statuses.map((status) => [
        String(status),
        codes(kinds.filter(([, kind]) => kind.status === status).map(([name]) => name)),
      ]),
    ),
  });
};
