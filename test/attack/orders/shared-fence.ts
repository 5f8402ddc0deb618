import { type Fence, type FenceRow, type FenceSubject } from '../../../src/domain/fence/fence.ts';
import type { Actor } from './stage.ts';
import type { Mutation } from './mutations.ts';

/** What one role may skip, another may not. */
export type Role = 'issuer' | 'command' | 'reaction' | 'projector';

/** The table that all instances share, monotone as it is in Postgres, or broken in one way. */
export type SharedFence = {
  /** One instance's hands on it; each access is a turn of the actor. */
  by(actor: Actor, role: Role): Fence;
  /** A bearer check: what it sees of the rows at this moment. */
  seenByBearer(subjects: readonly FenceSubject[], epoch: number): readonly FenceRow[];
  /** Rows that a rebuild has worked out on its own take over, by revision. */
  swapIn(rows: readonly FenceRow[]): void;
  /** What is over, as the rows say. */
  ended(): { readonly activation: number; readonly withdrawn: number; readonly disabled: number };
  /** All rows in words. */
  inWords(): string;
};

/** An organization that is closed has no epoch left. */
export const everyEpoch = Infinity;

const isActivation = ({ subject }: FenceRow) => subject.startsWith('activation:');

/** Every activation's row as if it were at the epoch that the asker would like. */
const withEpoch = (rows: readonly FenceRow[], epoch: number | undefined) =>
  rows.map((row) => (isActivation(row) && epoch !== undefined ? { ...row, epoch } : row));

const opened = (rows: readonly FenceRow[], epoch: number) =>
  withEpoch(rows, epoch).map((row) => (isActivation(row) ? { ...row, open: true } : row));

export const sharedFence = (
  mutation: Mutation | null,
  start: Iterable<FenceRow>,
  changed: () => void,
): SharedFence => {
  const kept = new Map<FenceSubject, FenceRow>();
  const put = (row: FenceRow, force: boolean) => {
    const present = kept.get(row.subject);
    if (force || !present || row.revision > present.revision) kept.set(row.subject, row);
  };
  const look = (subjects: readonly FenceSubject[]) =>
    subjects.map((subject) => kept.get(subject)).filter((row) => row !== undefined);
  const write = (rows: readonly FenceRow[]) => {
    for (const row of rows) put(row, mutation === 'a fence where the last writer wins');
    changed();
  };
  for (const row of start) put(row, true);

  /** What an issuer makes of its second look, and of all after it. */
  const lookAgain = (first: readonly FenceRow[], rows: readonly FenceRow[]) => {
    if (mutation === 'no second look') return first;
    if (mutation !== 'a second look without the epoch') return rows;
    return withEpoch(rows, first.find(isActivation)?.epoch);
  };

  return {
    by(actor, role) {
      let first: readonly FenceRow[] | null = null;
      const told = (rows: readonly FenceRow[]) => {
        if (role !== 'issuer') return rows;
        if (mutation === 'no fence, only the reaction') return opened(rows, 1);
        if (first) return lookAgain(first, rows);
        return (first = rows);
      };
      const isHeard = mutation !== 'a fence that only the projector writes' || role === 'projector';
      return {
        write: (rows) =>
          actor.turn(`writes ${rows.map(inWords).join(', ')}`, () => {
            if (isHeard) write(rows);
          }),
        read: async (subjects) =>
          told(
            await actor.turn('looks at the fence', () => look(subjects), {
              saw: (rows) => rows.map(inWords).join(', '),
            }),
          ),
      };
    },
    seenByBearer(subjects, epoch) {
      const rows = look(subjects);
      if (mutation === 'no fence, only the reaction') return opened(rows, epoch);
      return mutation === 'a bearer check without the epoch' ? withEpoch(rows, epoch) : rows;
    },
    swapIn: (rows) => {
      for (const row of rows) put(row, mutation === 'a rebuild that swaps in a lagging fence');
      changed();
    },
    ended() {
      const newest = { activation: 0, withdrawn: 0, disabled: 0 };
      for (const { subject, epoch, open } of kept.values()) {
        if (subject.startsWith('activation:'))
          newest.activation = Math.max(newest.activation, open ? epoch - 1 : epoch);
        if (subject.startsWith('organization:') && !open) newest.activation = everyEpoch;
        if (subject.startsWith('consent:')) newest.withdrawn = epoch;
        if (subject.startsWith('account:')) newest.disabled = epoch;
      }
      return newest;
    },
    inWords: () => [...kept.values()].map(inWords).sort().join(),
  };
};

const inWords = ({ subject, revision, epoch, open }: FenceRow): string =>
  `${subject.slice(0, subject.indexOf(':'))}…${subject.slice(-3)}@${revision} ${open ? 'open' : 'closed'} in ${epoch}`;
