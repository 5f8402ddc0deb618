import type { SignJws } from '../audit/jws.ts';
import type { Audit } from '../compose/audit.ts';
import type { Commands } from '../commands/commands.ts';
import type { LogHeads } from '../reactions/log-heads.ts';
import type { Personal } from '../compose/personal.ts';
import type { Core } from '../compose/core.ts';
import type { Rebuilds } from '../projections/rebuild/rebuilds.ts';
import type { EventStore, LogReader, Position } from '../eventstore/event-store.ts';
import type { PersonalData } from '../eventstore/personal-data.ts';
import type { ReadModels } from '../projections/read-models.ts';
import type { SigningKeys } from '../signing/signing-keys.ts';
import type { Actor, WhoMay } from './sign-in/actor.ts';
import type { WaitForProjectionsOptions } from './wait-for-projections.ts';

export type Servers = {
  readonly databaseUrl: string;
  /** Empty when it was not asked for. */
  readonly eventStoreUrl: string;
  /** Of the service that runs on the same DATA_DIR, if one does. */
  readonly baseUrl: string | null;
  /** Stops what was started for this command only. */
  close(): Promise<void>;
};

/** The service without HTTP, as a command needs it. */
export type CliService = {
  readonly actor: Actor;
  /** Where `grantbook login` keeps the token; null where there is no place for it. */
  readonly tokenFile: string | null;
  readonly commands: Commands;
  readonly readModels: ReadModels;
  readonly store: EventStore & LogReader;
  readonly rebuilds: Rebuilds;
  readonly signingKeys: SigningKeys;
  /** With a key of the JWKS. */
  readonly sign: SignJws;
  readonly audit: Audit;
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly logHeads: LogHeads;
  readonly personal: Pick<PersonalData, 'decrypt'>;
  readonly reactions: Core['reactions'];
  readonly keysOfPersons: Personal;
  /**
   * Waits, bounded, until the read models show what was written, by default everything that is in the log by now;
   * false when they do not yet. Never throws.
   */
  settle(position?: Position, options?: WaitForProjectionsOptions): Promise<boolean>;
  close(): Promise<void>;
};

/** Opens the service for an operator or for `who`, lets `use` have it, and closes it whatever happens. */
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
