import type { Brand } from '../../config/brand.ts';
import type { Instant } from '../../domain/kernel/decision.ts';

export type Base = {
  readonly config: HttpConfig;
  readonly logger: HttpLogger;
  readonly now: () => Instant;
  /** False until the fence has caught up with the log's head at start; until then no token is accepted (RS-02). */
  readonly trusted: () => boolean;
  /** Aborted when the service begins to stop: it still answers, but with `Connection: close`. */
  readonly stopping: AbortSignal;
};

export type HttpConfig = {
  /**
   * Public address without a slash at the end, e.g. `https://api.example.com`: every link is built from it (LI-03).
   * Read for every request, so it may be a getter where the port is known only after `listen`.
   */
  readonly baseUrl: string;
  /** The `iss` of every authorization response, compared by clients octet for octet (AZ-51). */
  readonly issuer: string;
  /** Cookies get `Secure` and the `__Host-` prefix; false only where the public address is plain http. */
  readonly secureCookies: boolean;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. None by default. */
  readonly trustedProxies?: readonly string[];
  /** In seconds: how long an add-on's access lasts unless somebody ends it; `unrefreshed`: of add-ons without refresh tokens. */
  readonly accessLasts?: { readonly unrefreshed: number; readonly unused: number; readonly most: number };
  /** How the platform presents itself on pages. Grantbook's own by default. */
  readonly brand?: Brand | null;
  /** How long a `sync_token` of a list is valid. */
  readonly syncRetentionDays: number;
  /** Whether changes by publishers wait for an operator, which is the default. */
  readonly publisherChanges?: 'approval' | 'free';
  /** In milliseconds: the time in which a request must arrive. 20 s by default. */
  readonly requestTimeout?: number;
  /** In milliseconds: how long a connection without a request stays. 72 s by default. */
  readonly keepAliveTimeout?: number;
  /** The maximum number of open connections. 1,000 by default. */
  readonly maxConnections?: number;
};

export type Readiness = {
  readonly ready: boolean;
  /** Ready, but something that no request needs does not work: still answered with 200. */
  readonly degraded?: boolean;
  /** One short word or sentence per part, e.g. `{ eventStore: 'ok', projections: '12 events behind' }`. */
  readonly checks: Readonly<Record<string, string>>;
};

/** The part of a pino logger that is used here. */
export type HttpLogger = {
  isLevelEnabled(level: string): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};
