import { readdirSync, readFileSync } from 'node:fs';

/** The value on Linux, on all common machines. */
const ticksPerSecond = 100;

type Process = { readonly pid: number; readonly parent: number; readonly ticks: number };

/**
 * CPU seconds so far of all processes below this one, or below another one, including those that have ended: the servers
 * of the bench, if nothing else runs. Linux only.
 */
export const cpuOfChildren = (of = process.pid): number => {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcess(name) ?? []) : []));
  const below = (parent: number): number =>
    all.filter((one) => one.parent === parent).reduce((sum, { pid, ticks }) => sum + ticks + below(pid), 0);
  return below(of) / ticksPerSecond;
};

/** Null for a process that has ended meanwhile. */
const readProcess = (pid: string): Process | null => {
  try {
    // After the name, which may contain blanks: state, parent, …; the times are user, system, and both of ended
    // children.
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
