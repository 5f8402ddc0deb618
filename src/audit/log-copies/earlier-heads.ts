import { isConsistent, BadJws, type Jwks, type SignedHead, verifyHead } from '#verify';
import { comparePositions, type EventStore, type LogReader } from '../../eventstore/event-store.ts';
import { type LoggedHead, placedHeadsFrom } from '../log-heads/read-heads.ts';
import { verifyCopy, copiesOf, type LogCopy } from './log-copy.ts';

export type EarlierLog = {
  readonly copy: LogCopy;
  readonly heads: readonly LoggedHead[];
};

export type HeadsByLog = {
  /** Over this log. */
  readonly own: readonly LoggedHead[];
  /** Ordered from the oldest. */
  readonly earlier: readonly EarlierLog[];
};

/** The heads in the log, grouped by the log that they are over. @throws EventStoreUnavailable, StreamUnreadable */
export const headsByLog = async (
  log: Pick<EventStore, 'read'> & Pick<LogReader, 'readStored'>,
): Promise<HeadsByLog> => {
  let rest = await placedHeadsFrom(log, 0n);
  const earlier = (await copiesOf(log)).map((copy) => {
    const isBefore = ({ storedAt }: (typeof rest)[number]) => comparePositions(storedAt, copy.position) < 0;
    const heads = rest.filter(isBefore).map(({ head }) => head);
    rest = rest.filter((head) => !isBefore(head));
    return { copy, heads };
  });
  return { own: rest.map(({ head }) => head), earlier };
};

/**
 * Verifies what is left of a log without positions: signatures of the copy and its heads, and that each head continues the one before,
 * up to the one that the copy names. @throws BadJws with what is wrong, as the predicate of a sentence about it
 */
export const verifyEarlier = async ({ copy, heads }: EarlierLog, kept: Jwks | null): Promise<void> => {
  await verifyCopy(copy, kept);
  let before: SignedHead | null = null;
  for (const { revision: _, ...logged } of heads) {
    const { head } = await verifyHead(logged, kept);
    if (head.previousSize !== (before?.size ?? 0) || !goesOn(before, head))
      throw new BadJws(`has a head over ${head.size} events that does not continue the one before it`);
    before = head;
  }
  const { head } = await verifyHead(copy.head, kept);
  if (before === null || before.size !== head.size || before.root !== head.root)
    throw new BadJws('names another head than the last one that was copied');
};

const goesOn = (before: SignedHead | null, head: SignedHead): boolean =>
  before === null ||
  isConsistent(
    sized(before),
    sized(head),
    head.proof.map((hash) => Buffer.from(hash, 'hex')),
  );

const sized = ({ size, root }: SignedHead) => ({ size, root: Buffer.from(root, 'hex') });

/** The log that a head was signed over, among those that this one was copied from; null when it is over none of them. */
export const earlierLogOf = (
  { earlier }: HeadsByLog,
  { size, root }: { readonly size: number; readonly root: string },
): EarlierLog | null =>
  earlier.find(({ heads }) => heads.some((head) => head.size === size && head.root === root)) ?? null;
