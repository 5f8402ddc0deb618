import type { Commands } from '../../commands/commands.ts';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { BeginOnce } from '../../commands/kernel/begin-once.ts';
import type { Audit } from '../../compose/audit.ts';
import type { Core } from '../../compose/core.ts';
import type { Personal } from '../../compose/personal.ts';
import type { PersonalData } from '../../eventstore/codec/personal-data.ts';
import type { EventStore, LogReader, Position } from '../../eventstore/event-store.ts';
import type { DeliverLink } from '../../mail/deliver-link.ts';
import type { Projection } from '../../projections/follow/projection.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import type { Rebuilds } from '../../projections/rebuild/rebuilds.ts';
import type { LogHeads } from '../../reactions/log-heads.ts';
import type { ManageStreams } from '../../signals/manage-streams.ts';
import type { SignJws } from '../../signing/sign-jws.ts';
import type { SigningKeys } from '../../signing/signing-keys.ts';
import type { Actor } from '../../commands/people/tokens/read-operator-token.ts';
import type { WhoMay } from '../sign-in/actor.ts';
import type { WaitForProjectionsOptions } from './wait-for-projections.ts';

export type Servers = {
  readonly databaseUrl: string;
  /** Empty when it was not requested. */
  readonly eventStoreUrl: string;
  /** The address of the service that runs on the same DATA_DIR, if any. */
  readonly baseUrl: string | null;
  /** Where its health and metrics are, if they have a port of their own. */
  readonly managementUrl?: string | null;
  /** Stops the servers that were started only for this command. */
  close(): Promise<void>;
};

export type CliService = {
  readonly actor: Actor;
  /** Where `grantbook login` stores the token; null if there is no place for it. */
  readonly tokenFile: string | null;
  readonly commands: Commands;
  /** For requests with an `Idempotency-Key`. */
  readonly beginOnce: BeginOnce;
  /** The public address of the service. */
  readonly baseUrl: string;
  /** The trace of this run, for commands that are called with a context of their own. */
  readonly context: CommandContext;
  readonly readModels: ReadModels;
  readonly store: EventStore & LogReader;
  readonly rebuilds: Rebuilds;
  readonly signingKeys: SigningKeys;
  readonly sign: SignJws;
  readonly audit: Audit;
  readonly providers: readonly { readonly id: string; readonly issuer: string }[];
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly logHeads: LogHeads;
  readonly personal: Pick<PersonalData, 'decrypt'>;
  readonly reactions: Core['reactions'];
  /** The worker of signals, for parked events of it. */
  readonly signalsProjection: Projection;
  readonly keysOfPersons: Personal;
  readonly deliverLink: DeliverLink;
  readonly signals: ManageStreams;
  /**
   * Waits, with a time limit, until the read models show `position`, by default everything that is in the log now;
   * false if they do not show it in time. Never throws.
   */
  settle(position?: Position, options?: WaitForProjectionsOptions): Promise<boolean>;
  close(): Promise<void>;
};

/** Opens the service for an operator or for `who`, runs `use`, and closes it in any case. */
export const withService = async <T>(
  io: { readonly openService: (who: WhoMay | 'nobody') => Promise<CliService> },
  use: (service: CliService) => Promise<T>,
  who: WhoMay | 'nobody' = 'operator',
): Promise<T> => {
  const service = await io.openService(who);
  try {
    return await use(service);
  } finally {
    await service.close();
  }
};
