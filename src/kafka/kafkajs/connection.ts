import type { Logger } from 'pino';
import type { KafkaConfig } from '../../config/kafka-config.ts';

/** The brokers' addresses, and our credentials. */
export type KafkaConnection = Pick<KafkaConfig, 'brokers' | 'tls' | 'sasl'> & {
  readonly clientId: string;
  /** Session timeout of a group member, if not the default. Brokers may require at least six seconds. */
  readonly sessionMs?: number;
  /** Time limit of a publish request, if not the default. */
  readonly tryMs?: number;
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>;
};

export const toConnection = (
  { brokers, tls, sasl }: KafkaConfig,
  logger: KafkaConnection['logger'],
): KafkaConnection => ({ brokers, tls, sasl, clientId: 'grantbook', logger });
