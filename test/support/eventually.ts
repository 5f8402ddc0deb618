import { vi } from 'vitest';
import { patience } from './patience.ts';

/** Repeats the check until it passes, and returns what it returns; fails as it fails when the patience is over. */
export const eventually = <T>(check: () => T | Promise<T>, interval = 10): Promise<T> =>
  vi.waitFor(check, { timeout: patience, interval });
