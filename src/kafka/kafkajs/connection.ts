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

/** The cause in a few words for operators. The library's errors contain addresses and names, but no credentials. */
export const causeOf = (error: unknown): string => {
  const root = rootOf(error);
  const type = (root as { type?: unknown }).type;
  const text = root.message.split('\n')[0] ?? '';
  return (typeof type === 'string' ? `${type}: ${text}` : text || root.name).slice(0, 300);
};

/** The protocol's name of the error, for example MESSAGE_TOO_LARGE; null if the error is not from a broker. */
export const typeOf = (error: unknown): string | null => {
  const { type } = rootOf(error) as { type?: unknown };
  return typeof type === 'string' ? type : null;
};

const rootOf = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error('unknown failure');
  return error.cause instanceof Error && error.cause !== error ? rootOf(error.cause) : error;
};
