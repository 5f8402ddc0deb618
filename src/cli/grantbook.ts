#!/usr/bin/env -S node --max-semi-space-size=64
// Many records in flight outlive a small young generation, and copying them cost an import a fifth of its time.
import { environment } from '../config/environment.ts';
import { runInProcess } from './process-io.ts';
import { serverGiven } from './remote/server.ts';

// Over the API the folder in which somebody works decides nothing: no `.env` is read.
const server = serverGiven(process.argv.slice(2), process.env);
await runInProcess(server === null ? environment() : process.env, async (args, io) => {
  if (server !== null) return (await import('./remote/run-remote.ts')).runRemote(args, io, server);
  const { runCli } = await import('./run-cli.ts');
  /** Loaded when a command needs servers: help and usage errors come at once. */
  const connecting = async () => (await import('./base/connect.ts')).connectFrom(io);
  return runCli(args, {
    ...io,
    openServers: async (which) => (await connecting()).openServers(which),
    openService: async (who, how) => (await connecting()).openService(who, how),
  });
});
