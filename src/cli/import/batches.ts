/** A part of a file: whole lines, and where they are in it. */
export type Batch = {
  readonly bytes: Buffer;
  readonly firstLine: number;
  readonly lines: number;
  readonly endsAtByte: number;
};

/** Small enough for a request that takes seconds, and large enough that requests cost little. */
const most = { bytes: 512 * 1024, lines: 500 } as const;
/** More than a record may have: of a longer line this much is sent, so that the service says that it is too long. */
const mostOfLine = 257 * 1024;
const newline = 0x0a;

/** Cuts a file into batches of whole lines, full ones or as they come. No more than a batch and a line are in memory. */
export async function* batchesOf(
  input: AsyncIterable<Buffer>,
  when: 'full' | 'as-they-come' = 'full',
): AsyncGenerator<Batch> {
  let parts: Buffer[] = [];
  let [bytes, lines, firstLine, ofLine, read] = [0, 0, 1, 0, 0];
  const take = (): Batch => {
    const batch = { bytes: Buffer.concat(parts), firstLine, lines, endsAtByte: read };
    firstLine += lines;
    [parts, bytes, lines] = [[], 0, 0];
    return batch;
  };
  const keep = (piece: Buffer) => {
    const kept = piece.subarray(0, Math.max(0, mostOfLine - ofLine));
    ofLine += piece.length;
    bytes += kept.length;
    if (kept.length > 0) parts.push(kept);
  };
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      keep(chunk.subarray(from, at));
      parts.push(lineEnd);
      [ofLine, bytes, lines] = [0, bytes + 1, lines + 1];
      read += at + 1 - from;
      from = at + 1;
      if (lines >= most.lines || bytes >= most.bytes) yield take();
    }
    if (when === 'as-they-come' && lines > 0) yield take();
    keep(chunk.subarray(from));
    read += chunk.length - from;
  }
  if (ofLine > 0) lines += 1;
  if (lines > 0) yield take();
}

const lineEnd = Buffer.from('\n');
