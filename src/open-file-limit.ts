import { readFileSync } from 'node:fs';

/** How many files this process may have open; Infinity without a limit, null where the system does not say (only Linux does). */
export const openFileLimit = (): number | null => {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readLimits())?.[1];
  return soft === undefined ? null : soft === 'unlimited' ? Infinity : Number(soft);
};

const readLimits = (): string => {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
};
