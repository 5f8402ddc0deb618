import { ownAddons } from '../../tasks/publishing.ts';
import { administratorRefusals } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { taskPaths } from '../tasks/describe-tasks.ts';

const ofAddon = [...administratorRefusals, 'event-unreadable', 'addon-unknown'] as const;

/** For members of publishers (AP-10). */
export const publisherPaths: Paths = taskPaths({
  prefix: 'publisher',
  tag: 'Add-ons of a publisher',
  security: ['administrator-token', 'session'],
  entities: [ownAddons],
  refusals: {
    all: administratorRefusals,
    list: [...administratorRefusals, 'event-unreadable', 'not-a-publisher'],
    read: ofAddon,
    change: [
      ...ofAddon,
      'malformed-request',
      'other-origin',
      'too-large',
      'unsupported-media-type',
      'too-many-requests',
      'changed-meanwhile',
    ],
  },
  operation: (_about, { name, summary }) => ({ id: `publisher-${name}`, summary }),
});
