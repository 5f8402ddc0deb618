import { recordResources } from '../../domain/records/record-resources.ts';
import { importQuery, shownQuery } from '../contracts/import.ts';
import { administratorProblems, administratorRefusals, json, noStore } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { keyKinds } from '../tasks/describe-tasks.ts';

/** In bytes. */
export const mostOfImport = 2 * 1024 * 1024;
/** Each may be an event. */
export const mostLines = 1000;

const common = {
  tag: 'Administration of the service',
  security: ['administrator-token'],
} as const satisfies Partial<Operation>;
const guards = [...administratorRefusals, 'not-an-operator'] as const;

export const importPathOf = (list: string): string =>
  `/operator/api/organizations/{organization_id}/import/${list}`;

const importOf = (list: string): Operation => ({
  ...common,
  id: `operator-import-${list}`,
  summary: `Import ${list}`,
  description: `Records of the host platform, one JSON object a line, as \`grantbook import ${list}\` takes them: at most ${mostLines} lines and 2 MiB. A line with a problem is reported and stops nothing. The same again changes nothing. With an \`Idempotency-Key\`, what a batch has stored counts as that in each repeat within 24 hours.`,
  query: importQuery,
  lines: true,
  answers: [
    json(200, 'What became of the lines.', 'Imported', noStore, {
      one: {
        lines: 2,
        added: 1,
        changed: 0,
        removed: 0,
        unchanged: 0,
        outdated: 0,
        refused: 1,
        errors: [{ line: 2, field: 'version', message: 'must be a whole number from 1' }],
        errors_left_out: 0,
        position: '4711/4711',
      },
    }),
    ...administratorProblems([
      ...guards,
      'organization-unknown',
      'malformed-request',
      'too-large',
      'unsupported-media-type',
      ...keyKinds,
    ]),
  ],
});

const shown: Operation = {
  ...common,
  id: 'operator-shown',
  summary: 'Ask whether the lists show a position of the log',
  query: shownQuery,
  answers: [
    json(200, 'Whether they do.', 'Shown', noStore, { one: { shown: true } }),
    ...administratorProblems(guards),
  ],
};

export const importPaths: Paths = {
  ...Object.fromEntries(recordResources.map(({ path }) => [importPathOf(path), { POST: importOf(path) }])),
  '/operator/api/shown': { GET: shown },
};
