#!/usr/bin/env node
import { environment } from '../config.ts';
import { connectFrom } from './connect.ts';
import { runCli } from './run-cli.ts';

const { stdin, stdout, stderr } = process;
const env = environment();

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped.abort();
    // What does not listen, or hangs on a server that is away, is ended nevertheless.
    setTimeout(() => process.exit(130), 5000).unref();
  });
}

// A reader that has seen enough (`grantbook addon list | head -1`) is no error.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  signal: stopped.signal,
  ...connectFrom({ env, stderr }),
});
