import { once } from 'node:events';
import type { NodeOptions } from './start-node.ts';
import { startNode } from './start-node.ts';
import { makeTellErrors } from './tell-errors.ts';

/**
 * The node as a process of its own. Its settings are the first message of its parent, or JSON in EMBEDDED_NODE, because
 * they contain a password, a secret and a key: arguments are visible to everyone. One JSON line on
 * stdout says that it is ready, or why it is not; it ends on SIGTERM, on SIGINT, and when its parent ends.
 */
export type NodeSettings = Pick<
  NodeOptions,
  | 'databaseUrl'
  | 'host'
  | 'port'
  | 'maxAppendSize'
  | 'maxAppendEventSize'
  | 'lockPatienceMs'
  | 'force'
  | 'access'
> & { readonly firstPosition?: string };

export type NodeReport =
  | { readonly ready: true; readonly url: string; readonly port: number; readonly pid: number }
  | { readonly ready: false; readonly error: string; readonly message: string };

const banner = `
  Embedded event store node: EventStoreDB's protocol over Postgres, for development, tests and demos.
  Not for production. It lacks clustering, users and rights, projections and persistent subscriptions.
`;

const patienceMs = 5_000;

const report = (line: NodeReport): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** A broken standard error is no reason to end: it may be a file on a full disk. */
process.stderr.on('error', () => undefined);

const givenSettings = async (): Promise<NodeSettings> => {
  const given = process.env['EMBEDDED_NODE'];
  if (given === undefined && process.connected)
    return ((await once(process, 'message')) as [NodeSettings])[0];
  return JSON.parse(given ?? '{}') as NodeSettings;
};

const run = async (): Promise<void> => {
  const { firstPosition, ...settings } = await givenSettings();
  const node = await startNode({
    ...settings,
    ...(firstPosition === undefined ? {} : { firstPosition: BigInt(firstPosition) }),
    production: process.env['NODE_ENV'] === 'production',
    onError: makeTellErrors((line) => process.stderr.write(line)),
  });
  const stop = (): void => {
    // If the database has already ended, there is nothing to wait for.
    setTimeout(() => process.exit(1), patienceMs).unref();
    void node.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  // A terminal's Ctrl-C reaches the whole process group; if there is a parent, the parent decides when to stop.
  process.on('SIGINT', () => process.connected || stop());
  process.once('disconnect', stop);
  process.stderr.write(banner);
  report({ ready: true, url: node.url, port: node.port, pid: process.pid });
};

run().catch((error: unknown) => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  report({ ready: false, error: name, message });
  process.exit(1);
});
