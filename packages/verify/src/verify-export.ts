import { comparePositions, parsePosition } from './position.ts';
import { canonicalJson } from './canonical-json.ts';
import { isConsistent } from './consistency.ts';
import {
  chainStart,
  exportLine,
  manifest,
  manifestLine,
  nextChain,
  withoutChain,
  type Manifest,
} from './export-format.ts';
import { BadJws, parsePayload, verifyJws, type Jwks } from './jws.ts';
import { addLeaf, emptySpan, joined, leafHash, rootOf, unpackSpan, type Span } from './merkle-tree.ts';
import { BadLine, checked, parseLine, type Parsed } from './parse-line.ts';
import { LineTooLong, readLines, type Line } from './read-lines.ts';

export type Verdict =
  | {
      readonly ok: true;
      readonly manifest: Manifest;
      readonly kid: string;
      /** Whether the key is among the given ones; if not, the signer is unknown. */
      readonly trusted: boolean;
    }
  | { readonly ok: false; /** From 1. */ readonly line: number; readonly problem: string };

/**
 * Verifies an export from any source and returns the first line that is wrong. Never throws because of its content, and
 * holds only one line in memory.
 */
export const verifyExport = async (input: AsyncIterable<Buffer>, kept: Jwks | null): Promise<Verdict> => {
  let line = 0;
  const reading = makeReading();
  try {
    for await (const next of readLines(input)) {
      if (reading.isOver()) await reading.end(kept); // the manifest may be the line in the wrong place
      line = next.number;
      if (reading.isOver()) throw new BadLine('follows the manifest, which is the last line');
      const parsed = parseLine(next.bytes);
      if (!next.ended) throw new BadLine('has no end: the file was cut off');
      if (isManifest(parsed)) reading.manifest(checked(manifestLine, parsed).manifest);
      else reading.event(parsed, next);
    }
    line += reading.isOver() ? 0 : 1;
    return { ok: true, ...(await reading.end(kept)) };
  } catch (error) {
    if (error instanceof LineTooLong)
      return { ok: false, line: line + 1, problem: 'is longer than a line can be' };
    if (error instanceof BadJws)
      return { ok: false, line, problem: `holds a manifest that ${error.message}` };
    if (error instanceof MissingLines) return { ok: false, line: error.line, problem: error.message };
    if (error instanceof BadLine) return { ok: false, line, problem: error.message };
    throw error;
  }
};

/** The lines do not exist, so the error names the place where they should be. */
class MissingLines extends Error {
  override readonly name = 'MissingLines';
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const isManifest = ({ value }: Parsed): boolean =>
  typeof value === 'object' && value !== null && 'manifest' in value && !('event' in value);

const makeReading = () => {
  let chain: Buffer = chainStart;
  let tree = emptySpan();
  let log: Span | null = emptySpan();
  let [first, last]: [string | null, string | null] = [null, null];
  let signed: string | undefined;
  return {
    isOver: () => signed !== undefined,
    manifest: (jws: string) => void (signed = jws),
    event(parsed: Parsed, { number }: Line) {
      const { event, leaf, ...at } = checked(exportLine, parsed);
      const hash = leafHash(canonicalJson(event));
      const next = nextChain(chain, withoutChain(parsed.text));
      if (next.toString('hex') !== at.chain)
        throw new BadLine(whyBroken(at.line, number, leaf === hash.toString('hex')));
      if (leaf !== hash.toString('hex')) throw new BadLine('has an event that does not match its leaf hash');
      if (at.line !== number) throw new BadLine(`says that it is line ${at.line}`);
      if (!isAfter(event.position, last)) throw new BadLine('is not behind the line before in the log');
      log = at.index === undefined ? null : log && passGap(log, at.index, at.gap);
      if (log) log = addLeaf(log, hash);
      [chain, tree] = [next, addLeaf(tree, hash)];
      first ??= event.position;
      last = event.position;
    },
    async end(kept: Jwks | null) {
      if (signed === undefined)
        throw new BadLine(
          'is missing, with the manifest: the file was cut off, or the export did not come to its end',
        );
      const { payload, kid, trusted } = await verifyJws(signed, 'audit-export+jws', kept);
      const said = parsePayload(manifest, payload);
      if (said.events > tree.end)
        throw new MissingLines(
          tree.end + 1,
          `is missing: the manifest is over ${said.events} events, and ${tree.end} are here`,
        );
      if (said.events < tree.end)
        throw new MissingLines(said.events + 1, `is too much: the manifest is over ${said.events} events`);
      for (const [name, found] of [
        ['chain', chain.toString('hex')],
        ['root', rootOf(tree).toString('hex')],
        ['first', first],
        ['last', last],
      ] as const)
        if (said[name] !== found)
          throw new BadLine(`holds the manifest of another export: ${name} is not that of this file`);
      if (said.log && !isInLog(log, said.log))
        throw new BadLine('holds a manifest of a log that the lines are not in');
      if (isOutside(said)) throw new BadLine('holds a manifest whose events lie outside of its range');
      return { manifest: said, kid, trusted };
    },
  };
};

/** The chain shows that something is wrong with a line; its other parts show what. */
const whyBroken = (said: number, number: number, hasOwnLeaf: boolean): string => {
  if (!hasOwnLeaf) return 'has an event that does not match its leaf hash: it was changed';
  if (said > number)
    return `says that it is line ${said}: ${number === said - 1 ? `line ${number} is` : `lines ${number} to ${said - 1} are`} missing, or the order was changed`;
  if (said < number) return `says that it is line ${said}: it was repeated, or the order was changed`;
  return 'does not continue the chain: it was changed, or another was put in its place';
};

/** The tree up to an event, from the hashes over the events between. */
const passGap = (log: Span, to: number, gap: readonly string[] = []): Span => {
  const between = unpackSpan(log.end, to, Buffer.from(gap.join(''), 'hex'));
  if (!between) throw new BadLine('has hashes that do not lead to its place in the log');
  return joined(log, between);
};

const isInLog = (lines: Span | null, { size, root, gap, head }: NonNullable<Manifest['log']>): boolean => {
  const found = lines && rootOf(passGap(lines, size, gap));
  if (found?.toString('hex') !== root) return false;
  const [before, proof] = [Buffer.from(head.root, 'hex'), head.proof.map((hash) => Buffer.from(hash, 'hex'))];
  return isConsistent({ size: head.size, root: before }, { size, root: found }, proof);
};

const isAfter = (position: string, before: string | null): boolean => {
  const [at, last] = [parsePosition(position), before === null ? null : parsePosition(before)];
  return at !== null && (last === null || comparePositions(at, last) > 0);
};

const isOutside = ({ from, until, first, last }: Manifest): boolean => {
  if (first === null || last === null) return false;
  return (
    (from !== null && first !== from && !isAfter(first, from)) ||
    until === null ||
    (last !== until && !isAfter(until, last))
  );
};
