import { readdirSync, readFileSync } from 'node:fs';

/** Of Linux, on every machine that this runs on. */
const ticksPerSecond = 100;

type Process = { readonly pid: number; readonly parent: number; readonly ticks: number };

/**
 * CPU seconds that everything that this process has started has used, with what it has waited for since: the servers of the bench, when
 * nothing else runs. Linux only.
 */
export const cpuOfChildren = (): number => {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (lookAt(name) ?? []) : []));
  const below = (parent: number): number =>
    all.filter((one) => one.parent === parent).reduce((sum, { pid, ticks }) => sum + ticks + below(pid), 0);
  return below(process.pid) / ticksPerSecond;
};

/** Null for one that is gone meanwhile. */
const lookAt = (pid: string): Process | null => {
  try {
    // Behind the name, which may hold blanks: state, parent, …; the times are user, system, and both of children that have ended.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
    return { pid: Number(pid), parent: fields[1] ?? 0, ticks };
  } catch {
    return null;
  }
};
