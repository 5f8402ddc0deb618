import { Readable, Writable } from 'node:stream';
import { runRemote } from '../../../src/cli/remote/run-remote.ts';
import type { Ran } from '../run-grantbook.ts';

type Given = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  readonly columns?: number;
  /** Called with what is printed on standard error, as it comes. */
  readonly onError?: (text: string) => void;
};

/** Runs one command line over the API of a service, in this process. */
export const runOverApi = async (
  server: string,
  args: readonly string[],
  { env = {}, stdin = '', signal = new AbortController().signal, columns, onError }: Given = {},
): Promise<Ran> => {
  const [out, err] = [collector(), collector(onError)];
  const exitCode = await runRemote(
    args,
    {
      env,
      signal,
      stdin: Object.assign(Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]), { isTTY: false }),
      stdout: Object.assign(out.stream, columns === undefined ? {} : { columns }),
      stderr: err.stream,
    },
    server,
  );
  return {
    exitCode,
    stdout: out.text(),
    stderr: err.text(),
    get json() {
      return JSON.parse(out.text()) as Record<string, unknown>;
    },
  };
};

const collector = (onText?: (text: string) => void) => {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      onText?.(chunk.toString());
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
};
