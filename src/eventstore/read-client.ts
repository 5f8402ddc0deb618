import { EventStoreDBClient } from '@eventstore/db-client';
import { dispose } from './write-client.ts';

/** A client used for reads and subscriptions. `retired`: another took its place, and what it still reads may be cut short. */
export type ReadClient = { readonly esdb: EventStoreDBClient; retired: boolean };

export type ReadClients = {
  current(): ReadClient | Promise<ReadClient>;
  /** Ends what the present client has open: whoever waits for it goes on with the next one. */
  replace(): void;
  close(): Promise<void>;
};

/** @param urlNow where to connect to; null: always there where `url` says */
export const makeReadClients = (
  url: string,
  urlNow: (() => Promise<string>) | null,
  closeMs: number,
): ReadClients => {
  const open = (at: string): ReadClient => ({
    esdb: EventStoreDBClient.connectionString(at),
    retired: false,
  });
  let client = urlNow === null ? open(url) : null;
  const retire = async (): Promise<void> => {
    const old = client;
    if (!old) return;
    old.retired = true;
    client = null;
    await dispose(old.esdb, closeMs);
  };
  return {
    current: () => client ?? (urlNow?.() ?? Promise.resolve(url)).then((at) => (client ??= open(at))),
    replace: () => void retire(),
    close: retire,
  };
};
