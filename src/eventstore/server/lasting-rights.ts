import { setTimeout as delay } from 'node:timers/promises';
import type { AppendProbe } from '../event-store.ts';
import { everyRight, type Right } from './rights-of-account.ts';

/** A server that has just begun to lead denies everything for up to four seconds, whatever the account may do (FX-100). */
export const freshLeaderMs = 5_000;
export const askAgainMs = 1_000;

/** The rights that the account lacks: while every one is denied, all are asked for again for as long as a fresh leader may deny them. */
export const lastingMissingRights = async (
  { missingRights }: Pick<AppendProbe, 'missingRights'>,
  wait: (ms: number) => Promise<unknown> = delay,
): Promise<readonly Right[]> => {
  for (let waited = 0; ; waited += askAgainMs) {
    const missing = await missingRights(everyRight);
    if (missing.length < everyRight.length || waited >= freshLeaderMs) return missing;
    await wait(askAgainMs);
  }
};
