import type { Readable, Writable } from 'node:stream';
import type { CliService, Servers } from './service.ts';
import type { Api } from './api.ts';
import type { Tasks } from './tasks.ts';
import type { WhoMay } from '../sign-in/actor.ts';
import type { Environment } from '../sign-in/token-file.ts';

export type CliIo = {
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
  /**
   * Opens the database, and the event store if requested; a token must be an operator's.
   * `unlessUnreachable`: or not checkable, because a server does not answer. @throws ConfigError, NotReached, NotAllowed
   */
  readonly openServers: (which: {
    readonly eventStore: boolean;
    readonly unlessUnreachable?: boolean;
  }) => Promise<Servers>;
  /**
   * @param who whose token is accepted, by default an operator's; `nobody` reads none @param how `quiet`: no service on the same DATA_DIR and no background work;
   * `reason`: in the metadata of every event @throws ConfigError, NotReached, NotAllowed, DataDirInUse
   */
  readonly openService: (who?: WhoMay | 'nobody', how?: HowOpened) => Promise<CliService>;
  /**
   * The API, on the servers of the settings or of a service. @param who `member`: of a publisher, which a service alone knows
   * @throws as `openService` does, and NotReached or NotAllowed
   */
  readonly openApi: (who: WhoMay | 'member', how?: HowOpened) => Promise<Api>;
  /** Over it, for an operator. */
  readonly openTasks: (how?: HowOpened) => Promise<Tasks>;
};

/** What a run is given. */
export type RunIo = Omit<CliIo, 'openTasks'>;

export type HowOpened = {
  readonly quiet?: boolean;
  readonly reason?: string;
  /** By a member of a publisher: over the API alone. */
  readonly isByMember?: boolean;
};
