import { consistencyProof, joined, rootOf, type Span, type Manifest } from '#verify';
import type { StoredEvent } from '../../eventstore/event-store.ts';
import { LogChanged } from '../log-heads/sign-head.ts';
import type { LogTree } from '../log-tiles/log-tree.ts';
import { leafOf } from '../proofs/stored-leaf.ts';
import type { PlacedEvent } from './write-export.ts';

type Head = { readonly size: number; readonly root: string };

/**
 * Adds to each exported event its index in the tree over the whole log, and hashes over the events since the previous one:
 * the root follows from the lines alone. A few tiles an event. `exported` is in the log's order, up to `size` of the tree.
 */
export const placeInLog = (
  exported: AsyncIterable<StoredEvent>,
  tree: Pick<LogTree, 'span' | 'indexOf'>,
  size: number,
  head: Head,
) => {
  let log: Manifest['log'];
  /** @throws LogChanged when the log has not grown from the head or an event does not match its leaf; TilesDamaged */
  const events = async function* (): AsyncGenerator<PlacedEvent> {
    if (size < head.size)
      throw new LogChanged(`the log has ${size} events up to there, and the head is over ${head.size}`);
    const before = await tree.span(0, head.size);
    if (rootOf(before).toString('hex') !== head.root)
      throw new LogChanged(`the first ${head.size} events of the log are not those of the head`);
    let next = 0;
    for await (const event of exported) {
      const index = await tree.indexOf(leafOf(event), event.position);
      if (index === null || index < next) throw new LogChanged(notInTree(event));
      yield { event, place: { index, gap: hexesOf(await tree.span(next, index)) } };
      next = index + 1;
    }
    const [gap, since] = [await tree.span(next, size), await tree.span(head.size, size)];
    const proof = consistencyProof(before, since).map((hash) => hash.toString('hex'));
    const root = rootOf(joined(before, since)).toString('hex');
    log = { size, root, gap: hexesOf(gap), head: { size: head.size, root: head.root, proof } };
  };
  return { events: events(), log: () => log };
};

const notInTree = ({ stream, revision }: StoredEvent): string =>
  `event ${revision} of ${stream} is not what the tree over the log has there: \`grantbook audit check-log --full\` says more`;

const hexesOf = ({ nodes }: Span): string[] => nodes.map(({ hash }) => hash.toString('hex'));
