import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { GossipService, ServerFeaturesService, StreamsService } from './stubs.ts';

/** Like the real server: slightly below 16 MiB. A larger message fails the whole call. */
export const maxMessageBytes = 16_767_216;

export type Services = {
  readonly streams: UntypedServiceImplementation;
  readonly features: UntypedServiceImplementation;
  readonly gossip: UntypedServiceImplementation;
};

/** grpc-js itself answers UNIMPLEMENTED for all other methods. */
export const makeServer = ({ streams, features, gossip }: Services): Server => {
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': -1,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 10_000,
  });
  server.addService(
    {
      ...StreamsService,
      read: { ...StreamsService.read, responseSerialize: asIs },
      batchAppend: { ...StreamsService.batchAppend, responseSerialize: asIs },
    },
    streams,
  );
  server.addService(ServerFeaturesService, features);
  server.addService(GossipService, gossip);
  return server;
};

/** These answers are already encoded, see `encode.ts` and `batch-answers.ts`. */
const asIs = (bytes: unknown): Buffer => bytes as Buffer;

type Address = {
  readonly host: string;
  readonly port: number;
  /** PEM; the server uses TLS if certificate and key are set. */
  readonly certificate?: string;
  readonly key?: string;
};

export const bindServer = (server: Server, { host, port, certificate, key }: Address): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, credentials(certificate, key), (error, bound) =>
      error
        ? reject(new Error(`cannot listen on ${host}:${port}; is the port taken?`, { cause: error }))
        : resolve(bound),
    );
  });

const credentials = (certificate = '', key = ''): ServerCredentials =>
  certificate
    ? ServerCredentials.createSsl(null, [
        { cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) },
      ])
    : ServerCredentials.createInsecure();

/** Their owners end open calls first; calls that do not end in time are cut off. */
export const stopServer = (server: Server, patienceMs = 500): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, patienceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
