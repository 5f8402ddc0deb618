import { maxRecordBytes } from '../records/parse-record.ts';

/** A line of an import as text, numbered from 1, or the reason why it is not readable as text. */
export type ImportLine =
  | { readonly number: number; readonly text: string; readonly endsAtByte: number }
  | { readonly number: number; readonly problem: string; readonly endsAtByte: number };

const newline = 0x0a;
const byteOrderMark = '\uFEFF';

type RawLine = { readonly bytes: Buffer; readonly tooLong: boolean; readonly endsAtByte: number };

/** Splits bytes into lines (LF, CRLF), those that end in a chunk together. A line that is too long is dropped as it comes; blank ones only count. */
export async function* readLines(
  input: AsyncIterable<Buffer>,
  firstLine = 1,
): AsyncGenerator<readonly ImportLine[]> {
  const cutter = makeCutter();
  let number = firstLine - 1;
  const toLines = (cut: readonly RawLine[]): readonly ImportLine[] => {
    const lines: ImportLine[] = [];
    for (const raw of cut) {
      number += 1;
      const line = toLine(raw, number);
      if ('problem' in line || line.text.trim() !== '') lines.push(line);
    }
    return lines;
  };
  for await (const chunk of input) yield toLines(cutter.cut(chunk));
  yield toLines(cutter.rest());
}

const makeCutter = () => {
  let kept: Buffer[] = [];
  let length = 0;
  let read = 0;
  const keep = (piece: Buffer) => {
    if (length <= maxRecordBytes) kept.push(piece);
    length += piece.length;
  };
  const take = (endsAtByte: number): RawLine => {
    const tooLong = length > maxRecordBytes;
    const [first = nothing] = kept;
    const bytes = tooLong ? nothing : kept.length > 1 ? Buffer.concat(kept) : first;
    kept = [];
    length = 0;
    return { bytes, tooLong, endsAtByte };
  };
  return {
    cut(chunk: Buffer): readonly RawLine[] {
      const lines: RawLine[] = [];
      let from = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        keep(chunk.subarray(from, at));
        from = at + 1;
        lines.push(take(read + from));
      }
      if (from < chunk.length) keep(chunk.subarray(from));
      read += chunk.length;
      return lines;
    },
    rest: (): readonly RawLine[] => (length > 0 ? [take(read)] : []),
  };
};

const nothing = Buffer.alloc(0);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const toLine = ({ bytes, tooLong, endsAtByte }: RawLine, number: number): ImportLine => {
  if (tooLong) {
    return { number, problem: `the line is longer than ${maxRecordBytes / 1024} KiB`, endsAtByte };
  }
  try {
    const text = utf8.decode(bytes).replace(/\r$/, '');
    return { number, text: number === 1 ? withoutByteOrderMark(text) : text, endsAtByte };
  } catch {
    return { number, problem: 'the line is not valid UTF-8', endsAtByte };
  }
};

const withoutByteOrderMark = (text: string) => (text.startsWith(byteOrderMark) ? text.slice(1) : text);
