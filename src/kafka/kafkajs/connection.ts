import type { Logger } from 'pino';

/** Where the brokers are, and who we are to them. Certificates and keys are PEM text. */
export type KafkaConnection = {
  /** `host:port` of some brokers; the others are learnt from them. */
  readonly brokers: readonly string[];
  /** Shown in the brokers' logs and quotas. */
  readonly clientId: string;
  /** Null: plain text. A null authority: those that Node trusts. */
  readonly tls: {
    readonly ca: string | null;
    /** Ours, for mutual TLS. */
    readonly identity: { readonly cert: string; readonly key: string } | null;
  } | null;
  readonly sasl: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  } | null;
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>;
};
