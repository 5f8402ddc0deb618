// Runs the command lines that its parent sends, one after the other, and answers each with whether it has ended, and how many
// connections are left open then.
// JavaScript over the built program: it is started a dozen times, and a loader would cost most of each start.
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

const built = (path) => import(new URL(`../../dist/src/cli/${path}`, import.meta.url).href);
const [{ connectFrom }, { runCli }] = await Promise.all([built('base/connect.js'), built('run-cli.js')]);

const open = () =>
  process.getActiveResourcesInfo().filter((kind) => /TCP|TLS|Pipe|Process/.test(kind)).length;

// Open once they are used, as some packages do when they are loaded; here they are from the beginning.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

const patience = 120_000; // a command ends after 10 s; on a busy machine later, and without limits of its own never

const runOne = async ({ args, env }) => {
  const before = open();
  const pieces = [];
  const said = new PassThrough().on('data', (piece) => pieces.push(piece));
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
  const code = await Promise.race([runCli(args, surroundings), pause(patience, null, { ref: false })]);
  while (open() > before && performance.now() - started < patience) await pause(20);
  // Fewer than before: after the last command, the gRPC library tried once more to connect a closed channel.
  const left = Math.max(0, open() - before);
  return { hasEnded: code !== null, left, output: Buffer.concat(pieces).toString() };
};

process.on('message', (task) => {
  const tell = async () => process.send(await runOne(task));
  void tell();
});
