import { createRequire } from 'node:module';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Kafka, logLevel, type KafkaConfig, type LogEntry, type Admin } from 'kafkajs';
import { type KafkaConnection, causeOf } from './connection.ts';
import { KafkaUnavailable } from '../kafka-client.ts';
import { withTimeout } from '../../common/with-timeout.ts';

/** Time limit of one request. A broker that does not answer in time counts as unavailable. */
export const requestTimeoutMs = 10_000;

export const openSession = (connection: KafkaConnection) => {
  patchHeaderDecoder();
  const sockets = new Set<Socket>();
  let ended = false;
  const { brokers, clientId, tls, sasl, logger } = connection;
  const kafka = new Kafka({
    brokers: [...brokers],
    clientId,
    connectionTimeout: 5_000,
    authenticationTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 },
    ...(tls && { ssl: secureContext(tls) }),
    ...(sasl && { sasl: sasl as NonNullable<KafkaConfig['sasl']> }),
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => pass(entry, logger),
    socketFactory: ({ host, port, ssl, onConnect }) => {
      if (ended) throw new Error('the session has ended');
      const name = isIP(host) ? {} : { servername: host };
      const socket = ssl
        ? connectTls({ host, port, ...name, ...ssl }, onConnect)
        : connectPlain({ host, port }, onConnect);
      socket.setKeepAlive(true, 60_000).setNoDelay(true);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
  });
  return {
    kafka,
    /** Closes all its connections, and prevents new ones: its retries reach no broker. */
    end: () => {
      ended = true;
      for (const socket of sockets) socket.destroy(new Error('the session has ended'));
    },
  };
};

export type Session = ReturnType<typeof openSession>;

const secureContext = ({ ca, identity }: NonNullable<KafkaConnection['tls']>) => ({
  ...(ca === null ? {} : { ca }),
  ...identity,
});

/** The library also warns of errors that it retries; our callers log the outcome. */
const pass = ({ namespace, log }: LogEntry, logger: KafkaConnection['logger']) => {
  logger.debug({ part: namespace, broker: log['broker'] as unknown }, `kafkajs: ${log.message}`);
};

type Header = { readonly key: string; readonly value: Buffer | null };
type Decoder = { readVarIntArray: (this: Decoder, read: unknown) => unknown[] };

const load = createRequire(import.meta.url);
const { prototype } = load('kafkajs/src/protocol/decoder') as { readonly prototype: Decoder };
const readHeader = load('kafkajs/src/protocol/recordBatch/header/v0/decoder') as unknown;

/** All values of each name, in order; without a prototype, so that every name is free. */
type HeadersByName = Readonly<Record<string, readonly (Buffer | null)[]>>;

const byName = (headers: readonly Header[]): HeadersByName => {
  const values = Object.create(null) as Record<string, (Buffer | null)[]>;
  for (const { key, value } of headers) (values[key] ??= []).push(value);
  return values;
};

/** The library's `reduce` copies all headers for each: 16,000 in 100 KB block a minute. This one visits each once; no setting, no releases. */
const patchHeaderDecoder = (): void => {
  if (isPatched) return;
  isPatched = true;
  const readArray = prototype.readVarIntArray;
  prototype.readVarIntArray = function (this: Decoder, read) {
    const all = readArray.call(this, read);
    if (read === readHeader) all.reduce = (() => byName(all as readonly Header[])) as typeof all.reduce;
    return all;
  };
};

let isPatched = false;

const patienceMs = 20_000;

/** Runs an admin operation on the brokers, with a time limit. @throws KafkaUnavailable */
export const withAdmin = async <T>(
  connection: KafkaConnection,
  use: (admin: Admin) => Promise<T>,
): Promise<T> => {
  const session = openSession(connection);
  const admin = session.kafka.admin();
  try {
    return await withTimeout(
      patienceMs,
      admin.connect().then(() => use(admin)),
    );
  } catch (error) {
    throw new KafkaUnavailable(`Kafka request failed: ${causeOf(error)}`, { cause: error });
  } finally {
    session.end();
  }
};
