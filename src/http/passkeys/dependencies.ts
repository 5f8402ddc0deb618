import type { CommandsInContext } from '../../commands/commands.ts';
import type { Federation } from '../../federation/federation.ts';
import type { EndInteraction } from '../../projections/working-state/done-once.ts';
import type { Browser } from '../base/browser.ts';
import type { RateLimits } from '../limits/counters/rate-limits.ts';

export type PasskeyDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<
    CommandsInContext,
    'addonLogo' | 'findAddon' | 'passkeyOptions' | 'signInWithPasskey' | 'signOut'
  >;
  readonly federation: Pick<Federation, 'local'>;
  readonly rateLimits: Pick<RateLimits, 'signInSteps'>;
  readonly endInteraction: EndInteraction;
  /** As at the sign-in with a password. */
  readonly signInBeat?: number;
};
