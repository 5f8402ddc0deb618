import type { CommandsInContext } from '../../commands/commands.ts';
import type { Federation } from '../../federation/federation.ts';
import type { Browser } from '../base/browser.ts';
import type { RateLimits } from '../limits/counters/rate-limits.ts';

export type SessionDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<
    CommandsInContext,
    'addonLogo' | 'currentAddon' | 'findAddon' | 'signIn' | 'signOut'
  >;
  readonly federation: Federation;
  readonly rateLimits: Pick<RateLimits, 'signInSteps'>;
  /** In milliseconds, see `answer-beat.ts`; 0 sends answers to a sign-in as soon as they are ready. */
  readonly signInBeat?: number;
};
