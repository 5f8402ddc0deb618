import { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { detailsOf } from '../../src/cli/base/details.ts';
import { makeProgram, runCli } from '../../src/cli/run-cli.ts';
import type { CliIo } from '../../src/cli/base/cli-io.ts';
import { NotReached } from '../../src/cli/base/not-reached.ts';

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
  if (exitCode === 0 && args.includes('--json')) await expectDocumentedKeys(args, ran.stdout);
  return {
    ...ran,
    get json() {
      return JSON.parse(ran.stdout) as Record<string, unknown>;
    },
  };
};

let whole: Promise<Command> | undefined;

/** The help of a command names every key of the document that it prints. */
const expectDocumentedKeys = async (args: readonly string[], printed: string): Promise<void> => {
  const program = await (whole ??= makeProgram(null, {} as CliIo, () => Promise.resolve()));
  const words = args.filter((arg) => arg !== '--json');
  const command = words.reduce<Command>(
    (group, word) => group.commands.find((one) => one.name() === word) ?? group,
    program,
  );
  if (command === program || args.includes('--help')) return;
  const keys = Object.keys(JSON.parse(printed) as object);
  const documented = detailsOf(command).json ?? [];
  const missing = keys.filter((key) => !documented.includes(key));
  if (missing.length > 0) throw new Error(`the help of ${words.join(' ')} has not: ${missing.join(', ')}`);
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
