import { consistencyProof } from '../consistency.ts';
import { LogChanged } from '../log-heads/sign-head.ts';
import { addLeaf, emptySpan, joined, rootOf, type Span } from '../merkle-tree.ts';
import { leafOf } from '../stored-leaf.ts';
import type { Manifest } from './format.ts';
import type { Marked } from './organization-events.ts';
import type { PlacedEvent } from './write-export.ts';

type Head = { readonly size: number; readonly root: string };

/**
 * Says of each event that is exported where it is in the tree over the whole log: its index, and hashes over what was passed since
 * the last one, so that whoever has the lines can work out the log's root without the events that are not theirs to see.
 */
export const placeInLog = (all: AsyncIterable<Marked>, head: Head) => {
  let log: Manifest['log'];
  /** @throws LogChanged when the log has not grown from the head */
  const events = async function* (): AsyncGenerator<PlacedEvent> {
    let [before, since, gap] = [emptySpan(), emptySpan(), emptySpan()];
    for await (const { event, concerns } of all) {
      const leaf = leafOf(event);
      since = addLeaf(since, leaf);
      if (since.end === head.size) {
        [before, since] = [joined(before, since), emptySpan(since.end)];
        if (rootOf(before).toString('hex') !== head.root)
          throw new LogChanged(`the first ${head.size} events of the log are not those of the head`);
      }
      if (concerns) yield { event, place: { index: gap.end, gap: hexesOf(gap) } };
      gap = concerns ? emptySpan(gap.end + 1) : addLeaf(gap, leaf);
    }
    if (before.end !== head.size)
      throw new LogChanged(`the log has ${since.end} events up to there, and the head is over ${head.size}`);
    const proof = consistencyProof(before, since).map((hash) => hash.toString('hex'));
    const root = rootOf(joined(before, since)).toString('hex');
    log = { size: since.end, root, gap: hexesOf(gap), head: { size: head.size, root: head.root, proof } };
  };
  return { events: events(), log: () => log };
};

const hexesOf = ({ nodes }: Span): string[] => nodes.map(({ hash }) => hash.toString('hex'));
