import type { Readable, Writable } from 'node:stream';
import type { CliService, Servers } from './service.ts';
import type { WhoMay } from './sign-in/actor.ts';
import type { Environment } from './sign-in/token-file.ts';

/** What the CLI has of the world. Tests give their own. */
export type CliIo = {
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /**
   * The database, and the event store where it is asked for.
   * @throws ConfigError, NotReached
   */
  readonly openServers: (which: { readonly eventStore: boolean }) => Promise<Servers>;
  /**
   * @param who whose token it takes, an operator's by default; `nobody` looks at none, and names nobody
   * @param how `quiet`: no service may run on the same DATA_DIR meanwhile, and nothing is done by itself, such as building read models
   * @throws ConfigError, NotReached, NotAllowed, DataDirInUse
   */
  readonly openService: (who?: WhoMay | 'nobody', how?: { readonly quiet: boolean }) => Promise<CliService>;
};
