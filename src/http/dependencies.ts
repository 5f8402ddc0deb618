import type { AskExposure } from '../audit/exposure/exposure-with-reads.ts';
import type { LogState } from '../audit/log-heads/log-state.ts';
import type { TimeProblem } from '../audit/time-in-log.ts';
import type { Timeline } from '../audit/timeline.ts';
import type { CommandsInContext } from '../commands/commands.ts';
import type { Instant } from '../domain/decision.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { Metric } from '../metrics/metric.ts';
import type { EndInteraction, HasEnded } from '../projections/ended-interactions.ts';
import type { ReadNames } from '../projections/names.ts';
import type { ReadUnusedGrants } from '../projections/unused-grants.ts';
import type { OperatorStatus } from '../projections/operations/status.ts';
import type { Telemetry } from '../tracing/telemetry.ts';
import type { ListReads } from '../projections/list-reads/read-reads.ts';
import type { ReadCounter } from '../projections/list-reads/count-reads.ts';
import type { CountSilentGrant } from '../projections/silent-grants.ts';
import type { ReadModels } from '../projections/read-models.ts';
import type { CursorKey } from './lists/cursor.ts';
import type { IdTokens } from '../signing/id-tokens.ts';

/** Everything that the HTTP side is given by `src/compose`; nothing in this room reaches for more. */
export type HttpDependencies = {
  readonly commands: CommandsInContext;
  readonly readModels: ReadModels;
  /** What operators are shown. */
  readonly operator: { readonly look: () => Promise<OperatorStatus> };
  /** What auditors ask, from the log. */
  readonly audit: {
    readonly timeline: Timeline;
    readonly names: ReadNames;
    readonly reads: ListReads;
    readonly exposure: AskExposure;
    readonly unusedGrants: ReadUnusedGrants;
    /** Why nothing can be said of a time of the log; null when something can. @param time milliseconds since the Unix epoch */
    readonly timeProblem: (time: number) => Promise<TimeProblem | null>;
    /** What is known of the log as a whole. @param at milliseconds since the Unix epoch */
    readonly logState: (at: number) => Promise<LogState>;
  };
  readonly idTokens: IdTokens;
  readonly config: HttpConfig;
  /** Of this program, for the document of its interface. */
  readonly version: string;
  /** That was built, in hexadecimal digits. */
  readonly commit: string;
  /** The AsyncAPI document: what this service sends and receives by Kafka. */
  readonly asyncApi: (about: {
    readonly baseUrl: string;
    readonly issuer: string;
    readonly version: string;
  }) => object;
  /** What `/health/ready` answers. A check that throws or hangs is the caller's to bound. */
  readonly readiness: () => Promise<Readiness>;
  /** What `/metrics` answers, beside the requests that are counted here. */
  readonly metrics: () => Promise<readonly Metric[]>;
  /** False until the fence has caught up with the log's head seen at start: until then nothing is accepted (RS-02). */
  readonly trusted: () => boolean;
  /** Aborted when the service begins to stop: it still answers, and says to everybody not to come back. */
  readonly stopping: AbortSignal;
  readonly now: () => Instant;
  readonly logger: HttpLogger;
  /** Where spans go; absent or null: nowhere. */
  readonly telemetry?: Pick<Telemetry, 'beginRequest' | 'record' | 'exportMetrics'> | null;
  /**
   * 32 random bytes each, shared by all instances: the first signs pending sign-ins and approvals and binds forms to their
   * browser, and what another one has signed is taken too.
   */
  readonly interactionKeys: readonly [Uint8Array, ...Uint8Array[]];
  readonly endInteraction: EndInteraction;
  readonly hasEnded: HasEnded;
  /** Milliseconds, see `session/answer-beat.ts`; 0 lets answers to a sign-in go as soon as they are there. */
  readonly signInBeat?: number;
  readonly countSilentGrant: CountSilentGrant;
  /** Notes a page of a list that is answered. No I/O. */
  readonly countRead: ReadCounter['count'];
  /** Shared by all instances: the first makes the cursors in the links of lists, those of the others are still taken. */
  readonly cursorKeys: readonly [CursorKey, ...CursorKey[]];
  readonly rateLimits: RateLimits;
};

export type HttpConfig = {
  /**
   * Public address without a slash at the end, e.g. `https://api.example.com`: every link is built from it (LI-03).
   * It is read anew for every request, so it may be a getter where the port is known only after `listen`.
   */
  readonly baseUrl: string;
  /** The `iss` of every authorization response, compared by clients octet for octet (AZ-51). */
  readonly issuer: string;
  /** Cookies get `Secure` and the `__Host-` prefix; false only where the public address is plain http. */
  readonly secureCookies: boolean;
  /** Addresses and networks of proxies: only theirs is an `X-Forwarded-For` that counts. None by default. */
  readonly trustedProxies?: readonly string[];
  /** In milliseconds; a request has to arrive within it. 20 s by default. */
  readonly requestTimeout?: number;
  /** How many connections there may be at a time. 1,000 by default. */
  readonly maxConnections?: number;
};

export type Readiness = {
  readonly ready: boolean;
  /** Ready, but something that no request needs does not work: an answer of 200 all the same. */
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
