import type { Readable, Writable } from 'node:stream';
import type { CliService, Servers } from './service.ts';

/** What the CLI has of the world. Tests give their own. */
export type CliIo = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /**
   * Where the servers are, from the settings or from the service that runs on the same DATA_DIR.
   * @throws ConfigError, NotReached
   */
  readonly findServers: () => Promise<Servers>;
  /** @throws ConfigError, NotReached */
  readonly openService: () => Promise<CliService>;
};
