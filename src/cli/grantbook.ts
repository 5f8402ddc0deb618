#!/usr/bin/env -S node --max-semi-space-size=64
// Many records in flight outlive a small young generation, and copying them cost an import a fifth of its time.
import { environment } from '../config/environment.ts';
import { listenForInterruption } from './base/interruption.ts';
import { runCli } from './run-cli.ts';

const { stdin, stdout, stderr } = process;
const env = environment();

const signal = listenForInterruption(process);

// A reader that closes the pipe early (`grantbook addon list | head -1`) is no error.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Loaded when a command needs servers: help and usage errors come at once. */
const connecting = async () => (await import('./base/connect.ts')).connectFrom({ env, stderr });

process.exitCode = await runCli(process.argv.slice(2), {
  env,
  stdin,
  stdout,
  stderr,
  signal,
  openServers: async (which) => (await connecting()).openServers(which),
  openService: async (who, how) => (await connecting()).openService(who, how),
});
// Nothing that a command leaves open, such as a standard input that is still being written, keeps it alive.
stdout.write('', () => setTimeout(() => process.exit(), 1_000).unref());
