import { readFileSync } from 'node:fs';

/** The maximum number of open files of this process; Infinity without a limit, null if unknown (only Linux tells it). */
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
