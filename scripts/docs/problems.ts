import { problemKinds } from '../../src/http/answers/problems.ts';
import { fill } from './fill.ts';
import { code, table } from './table.ts';

export const problemsPage = (): string =>
  fill('problems.md', {
    problems: table(
      ['problem', 'status', 'title'],
      Object.entries(problemKinds).map(([kind, { status, title }]) => [code(kind), String(status), title]),
    ),
  });
