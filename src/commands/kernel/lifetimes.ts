import { defaultLifetimes, type Lifetimes } from './dependencies.ts';

/** The lifetimes that have a setting. */
type Configured = Exclude<keyof Lifetimes, 'replayTolerance' | 'session' | 'device' | 'handOff'>;

/** Settings are in seconds; the program uses milliseconds. */
export const lifetimesOf = (seconds: Pick<Lifetimes, Configured>): Lifetimes => ({
  ...defaultLifetimes,
  code: seconds.code * 1000,
  accessToken: seconds.accessToken * 1000,
  refreshIdle: seconds.refreshIdle * 1000,
  refreshAbsolute: seconds.refreshAbsolute * 1000,
  refreshGrace: seconds.refreshGrace * 1000,
  refreshGraceOutage: seconds.refreshGraceOutage * 1000,
  providerRights: seconds.providerRights * 1000,
});
