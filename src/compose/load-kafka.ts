import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { ServiceCore } from './service.ts';

/** Null without KAFKA_BROKERS: it loads kafkajs, a fifth of all files of a process. */
export const loadKafka = async ({ kafka }: Config, logger: Logger) => {
  if (!kafka) return null;
  const { connectTo, startKafka } = await import('./kafka.ts');
  return {
    connect: () => connectTo(kafka, logger),
    start: (service: ServiceCore, baseUrl: string) =>
      startKafka({ ...service, kafka, baseUrl, operations: service.waits }),
  };
};
