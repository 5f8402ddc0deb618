import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { connectFrom } from '../../../src/cli/base/connect.ts';
import { runCli } from '../../../src/cli/run-cli.ts';

/** A command line to run, as the parent sends it. */
export type Task = { readonly args: readonly string[]; readonly env: Record<string, string> };

/** `left`: connections that are still open; `ms`: until the command had answered and all of its connections were closed. */
export type Done = {
  readonly code: number;
  readonly ms: number;
  readonly left: number;
  readonly output: string;
};

const open = () =>
  process.getActiveResourcesInfo().filter((kind) => /TCP|TLS|Pipe|Process/.test(kind)).length;

const patience = 15_000;

const runOne = async ({ args, env }: Task): Promise<Done> => {
  const before = open();
  const pieces: Buffer[] = [];
  const said = new PassThrough().on('data', (piece: Buffer) => pieces.push(piece));
  const stdin = new PassThrough(); // stays open, like a pipe whose other end is still writing
  stdin.write('{"id": "P1", "version": 1, "name": "Ada"}\n');
  const started = performance.now();
  const { signal } = new AbortController();
  const surroundings = {
    env,
    stdin,
    stdout: said,
    stderr: said,
    signal,
    ...connectFrom({ env, stderr: said }),
  };
  const code = await Promise.race([runCli(args, surroundings), pause(patience, -1)]);
  while (open() > before && performance.now() - started < patience) await pause(20);
  const ms = Math.round(performance.now() - started);
  // Fewer than before: after the last command, the gRPC library tried once more to connect a closed channel.
  const left = Math.max(0, open() - before);
  return { code, ms, left, output: Buffer.concat(pieces).toString() };
};

process.on('message', (task: Task) => {
  const tell = async () => void process.send?.(await runOne(task));
  void tell();
});
