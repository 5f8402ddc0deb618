import type { Writable } from 'node:stream';

/** Without what could control the terminal (C0, DEL and C1): names, reasons and answers come from others (FX-91). */
export const printable = (text: string): string => text.replace(/[^\P{Control}\n\t]/gu, '?');

/** The same of a value that stands in a line of others. */
export const printableValue = (text: string): string => text.replace(/\p{Control}/gu, '?');

/** JSON with every control character escaped; `JSON.stringify` leaves DEL and C1. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(
    /\p{Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const raws = new WeakMap<Writable, Writable>();

/** The same, with output that is written printable: every run of the command line begins with it. */
export const printing = <Io extends { readonly stdout: Writable; readonly stderr: Writable }>(
  io: Io,
): Io => ({
  ...io,
  stdout: printableStream(io.stdout),
  stderr: printableStream(io.stderr),
});

const printableStream = <Stream extends Writable>(stream: Stream): Stream => {
  const write = (chunk: unknown, ...more: readonly unknown[]): boolean =>
    (stream.write as (...given: readonly unknown[]) => boolean).call(
      stream,
      typeof chunk === 'string' ? printable(chunk) : chunk,
      ...more,
    );
  const wrapped = Object.create(stream, { write: { value: write } }) as Stream;
  raws.set(wrapped, stream);
  return wrapped;
};

/** For what itself moves the cursor, such as a bar. */
export const rawStream = <Stream extends Writable>(stream: Stream): Stream =>
  (raws.get(stream) as Stream | undefined) ?? stream;
