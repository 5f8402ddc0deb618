import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Kafka, logLevel, type KafkaConfig, type LogEntry } from 'kafkajs';
import type { KafkaConnection } from './connection.ts';
import { patchHeaderDecoder } from './patch-header-decoder.ts';

/** One use of the library that can be ended at once, whatever it is doing. */
export type Session = {
  readonly kafka: Kafka;
  /** Cuts all its connections, and lets it make no new ones: what it still tries reaches no broker. */
  end(): void;
};

/** How long one request may take. A broker that does not answer is one that is away. */
export const requestTimeoutMs = 10_000;

export const openSession = (connection: KafkaConnection): Session => {
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
    end: () => {
      ended = true;
      for (const socket of sockets) socket.destroy(new Error('the session has ended'));
    },
  };
};

const secureContext = ({ ca, identity }: NonNullable<KafkaConnection['tls']>) => ({
  ...(ca === null ? {} : { ca }),
  ...identity,
});

/** The library warns of what it then tries again; whoever uses it tells what has come of it. */
const pass = ({ namespace, log }: LogEntry, logger: KafkaConnection['logger']) => {
  logger.debug({ part: namespace, broker: log['broker'] as unknown }, `kafkajs: ${log.message}`);
};
