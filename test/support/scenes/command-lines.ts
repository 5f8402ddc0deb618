import { afterAll } from 'vitest';
import { findActor } from '../../../src/cli/sign-in/actor.ts';
import type { CliIo } from '../../../src/cli/base/cli-io.ts';
import type { CliService } from '../../../src/cli/base/service.ts';
import { inContext } from '../../../src/commands/commands.ts';
import type { HttpParts } from '../../../src/compose/server.ts';
import { nextTraceparent } from '../../../src/observability/tracing/traceparent.ts';
import { packageVersion } from '../../../src/process/package-root.ts';
import { commandsBy } from '../../cli/live-service.ts';
import { runOverApi } from '../../cli/remote/run-remote.ts';
import { runGrantbook } from '../../cli/run-grantbook.ts';
import { freePort } from '../servers/free-port.ts';
import { memoryStore } from '../memory/memory-store.ts';
import { startHttpApp } from './http-app.ts';

/**
 * A service that listens, on a log in memory, and its command lines with a token: on its servers, and over its API. It ends
 * after the tests of the file.
 */
export const startWithCommandLines = async () => {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  let parts: HttpParts | undefined;
  const store = memoryStore();
  const http = await startHttpApp({
    store,
    config: { baseUrl },
    around: (made) => (parts = { ...made, version: packageVersion }),
  });
  afterAll(() => http.close());
  await http.app.listen({ host: '127.0.0.1', port });

  const openFor =
    (token: string): CliIo['openService'] =>
    async (who = 'operator', { reason } = {}) => {
      const actor = await findActor(http.commands, { GRANTBOOK_TOKEN: token }, null, who as 'operator');
      const context = { traceparent: nextTraceparent(), ...(reason !== undefined && { reason }) };
      const { services, readsCountedSince } = parts as HttpParts;
      const settle = async () => {
        await http.settle();
        return true;
      };
      return {
        ...services,
        commands: inContext(http.commands, context),
        actor,
        context,
        audit: { reads: { countedSince: readsCountedSince } },
        settle,
        close: () => Promise.resolve(),
      } as unknown as CliService;
    };
  const onServers = (token: string, args: readonly string[], stdin = '') =>
    runGrantbook(args, { stdin, openService: openFor(token) });
  return {
    ...http,
    /** Of nobody who is signed in. */
    ...commandsBy((args, stdin) => onServers('', args, stdin)),
    /** All events so far. */
    all: store.all,
    onServers,
    overApi: (token: string, args: readonly string[], stdin = '') =>
      runOverApi(baseUrl, args, { env: { GRANTBOOK_TOKEN: token }, stdin }),
  };
};
