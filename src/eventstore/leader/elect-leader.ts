import type { Gossip } from './ask-gossip.ts';

/** The newest answer of each address that answers at present. */
export type Views = ReadonlyMap<string, Gossip>;

/**
 * The only live leader in the view of more than half of all known members, or null. A view with two live leaders counts
 * for nobody, and so does a member that does not answer: its silence must not make a minority a majority.
 */
export const electedBy = (known: ReadonlySet<string>, views: Views): string | null => {
  const counts = new Map<string, number>();
  for (const member of known) {
    const { leaders = [] } = views.get(member) ?? {};
    const [leader] = leaders;
    if (leader !== undefined && leaders.length === 1) counts.set(leader, (counts.get(leader) ?? 0) + 1);
  }
  return [...counts].find(([, count]) => count * 2 > known.size)?.[0] ?? null;
};

/**
 * The members after new answers: those known before and those that an answer lists, without those that more than half of
 * all of them do not list. So a single node never makes the cluster smaller, and a name that only stands for the whole
 * cluster, or a member that has left, no longer counts once most members agree.
 */
export const knownAfter = (
  { seeds, known }: { readonly seeds: readonly string[]; readonly known: ReadonlySet<string> },
  views: Views,
): ReadonlySet<string> => {
  const all = new Set([...seeds, ...known, ...[...views.values()].flatMap(({ members }) => members)]);
  const answers = [...all].flatMap((address) => views.get(address) ?? []);
  const isStranger = (address: string): boolean =>
    answers.filter(({ members }) => !members.includes(address)).length * 2 > all.size;
  return new Set([...all].filter((address) => !isStranger(address)));
};
