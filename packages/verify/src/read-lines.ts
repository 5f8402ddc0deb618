import { maxLineBytes } from './export-format.ts';

/** A line without its end; `ended` is false when no newline follows. */
export type Line = { readonly number: number; readonly bytes: Buffer; readonly ended: boolean };

/** A line that is longer than allowed: nothing after it was read. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

/** Cuts a file into lines, with at most one line and one chunk in memory. @throws LineTooLong */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let kept: Buffer[] = [];
  let length = 0;
  let number = 0;
  const keep = (piece: Buffer) => {
    length += piece.length;
    if (length > maxLineBytes) throw new LineTooLong();
    kept.push(piece);
  };
  const take = (ended: boolean): Line => {
    const bytes = Buffer.concat(kept);
    [kept, length] = [[], 0];
    return { number: ++number, bytes, ended };
  };
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      keep(chunk.subarray(from, at));
      from = at + 1;
      yield take(true);
    }
    if (from < chunk.length) keep(chunk.subarray(from));
  }
  if (length > 0) yield take(false);
}
