import type { CommandsInContext } from '../../commands/commands.ts';
import type { Federation } from '../../federation/federation.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import type { EndInteraction, HasEnded } from '../../projections/working-state/done-once.ts';
import type { Browser } from '../base/browser.ts';
import type { RateLimits } from '../limits/counters/rate-limits.ts';

export type FederationDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<
    CommandsInContext,
    'currentAddon' | 'endProviderSessions' | 'signInWithProvider' | 'signOut'
  >;
  readonly readModels: Pick<ReadModels, 'waitFor'>;
  readonly federation: Federation;
  readonly rateLimits: Pick<RateLimits, 'identities' | 'signInSteps'>;
  readonly endInteraction: EndInteraction;
  readonly hasEnded: HasEnded;
};
