import type { Readable, Writable } from 'node:stream';
import type { CliService, Servers } from './service.ts';
import type { WhoMay } from '../sign-in/actor.ts';
import type { Environment } from '../sign-in/token-file.ts';

/** The CLI's access to its environment. Tests pass their own. */
export type CliIo = {
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /**
   * Opens the database, and the event store if requested. If there is a token, it must be an operator's.
   * @param which `unlessUnreachable`: also when the token cannot be checked, because a server does not answer
   * @throws ConfigError, NotReached, NotAllowed
   */
  readonly openServers: (which: {
    readonly eventStore: boolean;
    readonly unlessUnreachable?: boolean;
  }) => Promise<Servers>;
  /**
   * @param who whose token is accepted, by default an operator's; `nobody` reads no token and names no actor
   * @param how `quiet`: no service may run on the same DATA_DIR, and nothing runs in the background, such as the
   * projector; `reason`: why, in the metadata of every event of the commands
   * @throws ConfigError, NotReached, NotAllowed, DataDirInUse
   */
  readonly openService: (who?: WhoMay | 'nobody', how?: HowOpened) => Promise<CliService>;
};

export type HowOpened = { readonly quiet?: boolean; readonly reason?: string };
