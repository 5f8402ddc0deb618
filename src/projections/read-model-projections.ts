import { accounts } from './people/accounts.ts';
import { activationFence } from './fence/activation-fence.ts';
import { activations } from './organizations/activations.ts';
import { addons } from './addons/addons.ts';
import { consents } from './access/consents.ts';
import { erasures } from './people/erasures.ts';
import { grants } from './access/grants.ts';
import { lists } from './lists/write/lists.ts';
import { organizations } from './organizations/organizations.ts';
import { publishers } from './publishers/publishers.ts';
import type { Projection } from './follow/projection.ts';

/** Of the read models' projector. The fence comes last: commands write its rows, too, and wait for locks. */
export const readModelProjections: readonly Projection[] = [
  organizations,
  accounts,
  addons,
  activations,
  publishers,
  consents,
  grants,
  lists,
  erasures,
  activationFence,
];
