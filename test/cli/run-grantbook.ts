import { Readable, Writable } from 'node:stream';
import { runCli } from '../../src/cli/run-cli.ts';
import type { CliIo } from '../../src/cli/base/cli-io.ts';
import { NotReached } from '../../src/cli/base/explain.ts';

export type Ran = {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What is on standard output, read as the one JSON document that it has to be. */
  readonly json: Readonly<Record<string, unknown>>;
};

/** Runs one command line in this process, with streams of its own. */
export const runGrantbook = async (
  args: readonly string[],
  {
    stdin = '',
    isTerminal = false,
    servers,
    ...given
  }: Partial<Omit<CliIo, 'stdin' | 'stdout' | 'stderr'>> & {
    stdin?: string | Buffer;
    /** Whether standard input is a terminal. */
    isTerminal?: boolean;
    /** Made with the standard error of the run. */
    servers?: (stderr: Writable) => Pick<CliIo, 'openServers' | 'openService'>;
  } = {},
): Promise<Ran> => {
  const stdout = collector();
  const stderr = collector();
  const exitCode = await runCli(args, {
    env: {},
    signal: new AbortController().signal,
    openServers: nothingRuns,
    openService: nothingRuns,
    ...servers?.(stderr.stream),
    ...given,
    stdin: Object.assign(Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]), {
      isTTY: isTerminal,
    }),
    stdout: stdout.stream,
    stderr: stderr.stream,
  });
  const ran = { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  return {
    ...ran,
    get json() {
      return JSON.parse(ran.stdout) as Record<string, unknown>;
    },
  };
};

const nothingRuns = () => Promise.reject(new NotReached('DATA_DIR', 'No service runs here'));

const collector = () => {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
};
