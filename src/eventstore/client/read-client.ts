import type { EventStoreDBClient } from '@eventstore/db-client';
import { openClient } from './open-client.ts';
import { dispose } from './write-client.ts';

/** A client for reads and subscriptions. `retired`: it was replaced, and its open reads may be cut short. */
export type ReadClient = { readonly esdb: EventStoreDBClient; retired: boolean };

export type ReadClients = {
  current(): ReadClient | Promise<ReadClient>;
  /** Cancels the open calls of the current client; callers retry with the next one. */
  replace(): void;
  close(): Promise<void>;
};

/** @param urlNow the URL to connect to; null: always the address of `url` */
export const makeReadClients = (
  url: string,
  urlNow: (() => Promise<string>) | null,
  closeMs: number,
): ReadClients => {
  const open = (at: string): ReadClient => ({
    esdb: openClient(at),
    retired: false,
  });
  let client = urlNow === null ? open(url) : null;
  let moves = 0;
  const next = async (): Promise<ReadClient> => {
    for (;;) {
      const before = moves;
      const at = (await urlNow?.()) ?? url;
      if (before === moves) return (client ??= open(at));
    }
  };
  const retire = async (): Promise<void> => {
    moves += 1;
    const old = client;
    if (!old) return;
    old.retired = true;
    client = null;
    await dispose(old.esdb, closeMs);
  };
  return {
    current: () => client ?? next(),
    replace: () => void retire(),
    close: retire,
  };
};
