import { entities } from '../../tasks/entities.ts';
import { administratorRefusals } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { lowered, taskPaths, unknownOf } from '../tasks/describe-tasks.ts';

const all = [...administratorRefusals, 'not-an-operator', 'name-ambiguous'] as const;
/** Tasks are about something else, too. */
const unknown = entities.map(unknownOf);

const changes = [
  ...all,
  'malformed-request',
  'too-large',
  'unsupported-media-type',
  'change-refused',
  'event-unreadable',
  'changed-meanwhile',
  ...unknown,
] as const;

/** The operators' JSON API: what the command line does, with the same names. */
export const operatorApiPaths: Paths = taskPaths({
  prefix: 'operator',
  tag: 'Administration of the service',
  security: ['administrator-token'],
  entities,
  refusals: {
    all,
    list: all,
    read: [...all, 'event-unreadable', ...unknown],
    patch: changes,
    change: [
      ...changes,
      'never-activated',
      'configuration-url-missing',
      'organization-closed',
      'addon-retired',
    ],
  },
  operation: (about, { name, summary }) => ({
    id: `operator-${name}-${about.name}`,
    summary: `${about.name} ${name}: ${lowered(summary)}`,
  }),
});
