import { EventStoreDBClient } from '@eventstore/db-client';
import { readConnectionString } from '../server/connection-string.ts';

/** Internals of the client by which it connects, each time anew after a failure. */
type Insides = { createChannel(): Promise<unknown>; resolveUri(): Promise<string> };

const fileOptions = new Set(['tlscafile', 'usercertfile', 'userkeyfile']);

/** By the files that they were made from: what was read last, for the moment in which a file is being replaced. */
const newest = new Map<string, Insides>();

/**
 * A client that reads the files of certificates again whenever it connects; the library reads them once, so that a change
 * of authority would need a restart. While they cannot be read, those of before are used. @throws when they never could
 */
export const openClient = (url: string): EventStoreDBClient => {
  const { tls, isCluster, options } = readConnectionString(url);
  const files = [...options].filter(([name]) => fileOptions.has(name)).join();
  if (!tls || files === '') return EventStoreDBClient.connectionString(url);
  const others = [...options].filter(([name]) => !fileOptions.has(name)).map((option) => option.join('='));
  // It never connects by itself: with an empty file it does not load the authorities of Node, which takes 30 ms or more.
  const esdb = EventStoreDBClient.connectionString(
    [url.split('?')[0], ...others, 'tlsCAFile=/dev/null'].join('&').replace('&', '?'),
  );
  const insides = esdb as unknown as Insides;
  dialerOf(url, files);
  insides.createChannel = async () => {
    const dialer = dialerOf(url, files);
    // Discovery needs the files; otherwise the client itself knows to which node it was sent.
    const address = await (isCluster ? dialer : insides).resolveUri();
    dialer.resolveUri = () => Promise.resolve(address);
    return dialer.createChannel();
  };
  return esdb;
};

const dialerOf = (url: string, files: string): Insides => {
  try {
    const dialer = EventStoreDBClient.connectionString(url) as unknown as Insides;
    newest.set(files, dialer);
    return dialer;
  } catch (error) {
    const dialer = newest.get(files);
    if (dialer) return dialer;
    throw error;
  }
};

/**
 * Loaded for its side effect: suppresses Node's warning (DEP0123) when the event store is addressed by its IP address,
 * as the embedded one and many others are. The client sends that address as the TLS server name; Node omits it, and
 * still verifies the certificate.
 */
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = ((...args: Parameters<typeof emitWarning>): void => {
  if (!args.includes('DEP0123' as never)) emitWarning(...args);
}) as typeof emitWarning;
