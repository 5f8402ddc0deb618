import type { Services } from '../../administration/task.ts';
import type { AskExposure, ExposureWithReads } from '../../audit/exposure/exposure-with-reads.ts';
import type { PreparedResults } from '../../audit/prepared.ts';
import type { LogState } from '../../audit/log-heads/log-state.ts';
import type { TimeProblem } from '../../audit/timeline/time-in-log.ts';
import type { Timeline } from '../../audit/timeline/timeline.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { RateLimits } from '../limits/counters/rate-limits.ts';
import type { Metric } from '../../observability/metrics/metric.ts';
import type {
  EndInteraction,
  HasEnded,
  SentForms,
} from '../../projections/working-state/ended-interactions.ts';
import type { ReadNames } from '../../projections/kernel/names.ts';
import type { ReadUnusedGrants } from '../../projections/access/unused-grants.ts';
import type { OperatorStatus } from '../../projections/operations/status.ts';
import type { Telemetry } from '../../observability/tracing/telemetry.ts';
import type { ListReads } from '../../projections/read-counts/read-reads.ts';
import type { ReadCounter } from '../../projections/read-counts/count-reads.ts';
import type { CountSilentGrant } from '../../projections/working-state/silent-grants.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import type { CursorKey } from '../lists/cursor.ts';
import type { Federation } from '../../federation/federation.ts';
import type { JudgedLately } from '../../signals/judged-lately.ts';
import type { ManageStreams } from '../../signals/manage-streams.ts';
import type { IdTokens } from '../../signing/id-tokens.ts';
import type { Poll } from '../../signals/poll.ts';

/** Everything that `src/compose` passes to the HTTP side; src/http uses nothing else. */
export type HttpDependencies = {
  readonly commands: CommandsInContext;
  readonly readModels: ReadModels;
  /** For the operators' API and pages. */
  readonly administration: Services;
  /** For the operators' page. */
  readonly operator: { readonly read: () => Promise<OperatorStatus> };
  /** Queries of auditors, answered from the log. */
  readonly audit: {
    readonly timeline: Timeline;
    readonly names: ReadNames;
    readonly reads: ListReads;
    readonly exposure: AskExposure;
    readonly preparedExposures: PreparedResults<ExposureWithReads>;
    readonly unusedGrants: ReadUnusedGrants;
    /**
     * Why there is no answer for a time of the log; null if there is one. @param time milliseconds since the Unix epoch
     */
    readonly timeProblem: (time: number) => Promise<TimeProblem | null>;
    /** The state of the log as a whole. @param at milliseconds since the Unix epoch */
    readonly logState: (at: number) => Promise<LogState>;
  };
  readonly idTokens: IdTokens;
  /** Delivery of what add-ons are told. */
  readonly signals: {
    readonly poll: Poll;
    readonly lately: Pick<JudgedLately, 'of' | 'judging'>;
    /** Answers every waiting poll. */
    readonly stopPolls: () => void;
  };
  /** Management of the streams by which add-ons are told. */
  readonly signalStreams: ManageStreams;
  /** Sign-in with OpenID providers. */
  readonly federation: Federation;
  readonly config: HttpConfig;
  /** Version of this program, for the document of its interface. */
  readonly version: string;
  /** The commit that was built, in hexadecimal digits. */
  readonly commit: string;
  /** The AsyncAPI document: the messages that this service sends and receives over Kafka. */
  readonly asyncApi: (about: {
    readonly baseUrl: string;
    readonly issuer: string;
    readonly version: string;
  }) => object;
  /** The answer of `/health/ready`. The caller must put a time limit on checks that may hang. */
  readonly readiness: () => Promise<Readiness>;
  /** The content of `/metrics`, apart from requests, which are counted here. */
  readonly metrics: () => Promise<readonly Metric[]>;
  /** False until the fence has caught up with the log's head at start; until then no token is accepted (RS-02). */
  readonly trusted: () => boolean;
  /** Aborted when the service begins to stop: it still answers, but with `Connection: close`. */
  readonly stopping: AbortSignal;
  readonly now: () => Instant;
  readonly logger: HttpLogger;
  /** Where spans are sent; absent or null: nowhere. */
  readonly telemetry?: Pick<Telemetry, 'beginRequest' | 'record' | 'exportMetrics'> | null;
  /**
   * 32 random bytes each, the same on all instances. The first signs pending sign-ins and approvals and binds forms to
   * their browser; signatures of the others are still accepted.
   */
  readonly interactionKeys: readonly [Uint8Array, ...Uint8Array[]];
  readonly endInteraction: EndInteraction;
  readonly hasEnded: HasEnded;
  readonly sentForms: SentForms;
  /** In milliseconds: how long a form that is sent again waits for the first response. 15 s by default. */
  readonly formPatience?: number;
  /** In milliseconds, see `session/answer-beat.ts`; 0 sends answers to a sign-in as soon as they are ready. */
  readonly signInBeat?: number;
  readonly countSilentGrant: CountSilentGrant;
  /** Counts an answered page of a list. No I/O. */
  readonly countRead: ReadCounter['count'];
  /**
   * The same on all instances: the first encrypts the cursors in the links of lists, those of the others are still
   * accepted.
   */
  readonly cursorKeys: readonly [CursorKey, ...CursorKey[]];
  readonly rateLimits: RateLimits;
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
  /** In milliseconds: the time in which a request must arrive. 20 s by default. */
  readonly requestTimeout?: number;
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
