#!/usr/bin/env node
import { runInProcess } from '../process-io.ts';
import { runRemote } from './run-remote.ts';
import { serverGiven } from './server.ts';

/** `grantbook-remote`: the command line over the API alone, for a machine that has nothing of the service. */
await runInProcess(process.env, (args, io) => runRemote(args, io, serverGiven(args, io.env) ?? ''));
