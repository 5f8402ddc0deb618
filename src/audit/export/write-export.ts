import {
  canonicalJson,
  addLeaf,
  emptySpan,
  leafHash,
  rootOf,
  chainStart,
  exportFormat,
  maxLineBytes,
  nextChain,
  withChain,
  type Manifest,
  type Opened,
} from '#verify';
import type { StoredEvent } from '../../eventstore/event-store.ts';
import type { SignJws } from '../../signing/sign-jws.ts';
import { leafEntry } from '../proofs/stored-leaf.ts';
import { positionText } from '../timeline/position-text.ts';

export type ExportDependencies = {
  /** In the order of the log; only those that belong into the export. */
  readonly events: AsyncIterable<PlacedEvent>;
  /** The log that the places refer to; called at the end. */
  readonly log?: () => Manifest['log'];
  /** In the same order; null for an event without encrypted fields. */
  readonly open: (events: readonly StoredEvent[]) => Promise<readonly (Opened | null)[]>;
  readonly sign: SignJws;
  readonly about: Pick<Manifest, 'organization' | 'from' | 'until' | 'exportedBy'>;
  readonly now: () => number;
};

export type PlacedEvent = {
  readonly event: StoredEvent;
  readonly place?: { readonly index: number; readonly gap: readonly string[] };
};

/** An event that the format cannot represent. */
export class NotExportable extends Error {
  override readonly name = 'NotExportable';
}

/** The lines of an export, each with its end, the manifest last and returned; a few events in memory. @throws NotExportable */
export async function* writeExport(dependencies: ExportDependencies): AsyncGenerator<string, Manifest> {
  let chain: Buffer = chainStart;
  let tree = emptySpan();
  let [first, last]: [string | null, string | null] = [null, null];
  for await (const events of inChunks(dependencies.events)) {
    const openedOf = await dependencies.open(events.map(({ event }) => event));
    for (const [at, { event, place }] of events.entries()) {
      const entry = leafEntry(event);
      const leaf = leafHash(canonicalJson(entry));
      tree = addLeaf(tree, leaf);
      const opened = openedOf[at] ?? undefined;
      const body = canonicalJson({
        event: entry,
        leaf: leaf.toString('hex'),
        line: tree.end,
        opened,
        ...place,
      });
      chain = nextChain(chain, body);
      first ??= entry.position;
      last = entry.position;
      const line = withChain(chain, body);
      if (Buffer.byteLength(line) > maxLineBytes)
        throw new NotExportable(`event ${event.revision} of ${event.stream} is too large for a line`);
      yield `${line}\n`;
    }
  }
  const log = dependencies.log?.();
  const manifest: Manifest = {
    format: exportFormat,
    ...dependencies.about,
    events: tree.end,
    first,
    last,
    root: rootOf(tree).toString('hex'),
    ...(log && { log }),
    chain: chain.toString('hex'),
    exportedAt: new Date(dependencies.now()).toISOString(),
  };
  yield `${canonicalJson({ manifest: await dependencies.sign('audit-export+jws', canonicalJson(manifest)) })}\n`;
  return manifest;
}

export const positionOrNull = (position: StoredEvent['position'] | null): string | null =>
  position && positionText(position);

/** Decrypted together, so that their keys are read at once. */
const chunkSize = 100;

async function* inChunks(events: AsyncIterable<PlacedEvent>): AsyncGenerator<readonly PlacedEvent[]> {
  let chunk: PlacedEvent[] = [];
  for await (const event of events) {
    chunk.push(event);
    if (chunk.length < chunkSize) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
