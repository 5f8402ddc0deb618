#!/usr/bin/env -S node --max-semi-space-size=64
// Many records in flight outlive a small young generation, and copying them cost an import a fifth of its time.
import { environment } from '../config/environment.ts';
import { listenForInterruption } from './base/interruption.ts';
import { runCli } from './run-cli.ts';

const { stdin, stdout, stderr } = process;
const env = environment();

const signal = listenForInterruption(process);

let isUnwritten = false;
// A reader that closes the pipe early (`grantbook addon list | head -1`) is no error. A full disk is one, but ends no command halfway.
stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || isUnwritten) return;
  isUnwritten = true;
  process.exitCode = 1;
  stderr.write(
    `The answer could not be written to standard output (${code}); what the command did stays done.\n`,
  );
});
// Nobody reads the progress any more (`2>&1 | head -1`): the command continues.
stderr.on('error', () => undefined);

/** Loaded when a command needs servers: help and usage errors come at once. */
const connecting = async () => (await import('./base/connect.ts')).connectFrom({ env, stderr });

const exitCode = await runCli(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  signal,
  openServers: async (which) => (await connecting()).openServers(which),
  openService: async (who, how) => (await connecting()).openService(who, how),
});
process.exitCode = isUnwritten ? 1 : exitCode;
// Nothing that a command leaves open, such as a standard input that is still being written, keeps it alive.
stdout.write('', () => setTimeout(() => process.exit(), 1_000).unref());
