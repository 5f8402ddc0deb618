import type { Logger } from 'pino';
import type { KafkaConfig } from '../../config/kafka-config.ts';

/** Where the brokers are, and who we are to them. */
export type KafkaConnection = Pick<KafkaConfig, 'brokers' | 'tls' | 'sasl'> & {
  /** Shown in the brokers' logs and quotas. */
  readonly clientId: string;
  /** How long a member of a group may be silent, where it is other than usual. Brokers may want six seconds at least. */
  readonly sessionMs?: number;
  /** How long a request to publish may take, where it is other than usual. */
  readonly tryMs?: number;
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>;
};

export const toConnection = (
  { brokers, tls, sasl }: KafkaConfig,
  logger: KafkaConnection['logger'],
): KafkaConnection => ({ brokers, tls, sasl, clientId: 'grantbook', logger });
