import { accounts } from './accounts.ts';
import { activationFence } from './activation-fence.ts';
import { activations } from './activations.ts';
import { addons } from './addons.ts';
import { consents } from './consents.ts';
import { erasures } from './erasures.ts';
import { grants } from './grants.ts';
import { lists } from './lists/lists.ts';
import { organizations } from './organizations.ts';
import type { Projection } from './projection.ts';

/**
 * The projections of the read models' projector. The fence comes last: commands write its rows too, and wait while a
 * row is locked.
 */
export const readModelProjections: readonly Projection[] = [
  organizations,
  accounts,
  addons,
  activations,
  consents,
  grants,
  lists,
  erasures,
  activationFence,
];
