import { addons } from './addons.ts';
import { expiredMessages } from './expired-messages.ts';
import { grants } from './grants.ts';
import { organizations } from './organizations.ts';
import { publishers } from './publishers.ts';
import { signals } from './signals.ts';
import type { Entity } from './task.ts';
import { users } from './users.ts';

/** What operators look after, in the order of the documents and pages. */
export const entities: readonly Entity[] = [
  organizations,
  users,
  addons,
  publishers,
  grants,
  signals,
  expiredMessages,
];
