import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { drop } from '../../../src/projections/rebuild/drop.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import type { RebuildDependencies } from '../../../src/projections/rebuild/session.ts';
import { swap } from '../../../src/projections/rebuild/swap.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';

/** Until it is done: at first there may be nothing to compare with, and a swap gives way to whoever reads. */
export const patiently = async <T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> => {
  for (;;)
    try {
      return await act();
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (signal.aborted || (code !== 'nothing-live' && code !== 'tables-in-use')) throw error;
      await sleep(20, undefined, { signal });
    }
};

/** @returns the name, once it has taken the live one's place */
export const renew = async (needs: RebuildDependencies, name: string): Promise<string> => {
  const { signal } = needs;
  const { version } = await patiently(signal, () => rebuild(needs, { name }));
  expect([name, (await verify(needs, { name })).differences]).toEqual([name, []]);
  const { previousVersion } = await patiently(signal, () => swap(needs, { name }));
  await patiently(signal, () => drop(needs, { name, version: previousVersion ?? version }));
  return name;
};
