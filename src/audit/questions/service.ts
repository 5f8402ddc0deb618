import type { AuditAnswered } from '../../tasks/audit-questions.ts';
import type { Services } from '../../tasks/task.ts';
import type { Commands } from '../../commands/commands.ts';
import type { Actor } from '../../commands/people/tokens/read-operator-token.ts';
import type { PersonalData } from '../../eventstore/codec/personal-data.ts';
import type { EventStore, LogReader } from '../../eventstore/event-store.ts';
import type { ReadNames } from '../../projections/kernel/names.ts';
import type { LogHeads } from '../../reactions/log-heads.ts';
import type { SignJws } from '../../signing/sign-jws.ts';
import type { organizationEvents } from '../event-lookup/organization-events.ts';
import type { makeExposure } from '../exposure/exposure-with-reads.ts';
import type { makePrepared } from '../prepared.ts';
import type { EventDependencies } from '../read-events.ts';
import type { makeAskAsOf } from '../timeline/as-of.ts';
import type { makeTimeline } from '../timeline/make-timeline.ts';

/** What is known of the log, by what somebody may ask about. */
type Known = EventDependencies & {
  readonly timeline: ReturnType<typeof makeTimeline>;
  readonly names: ReadNames;
  readonly now: () => number;
  readonly asOf: ReturnType<typeof makeAskAsOf>;
  readonly exposure: ReturnType<typeof makeExposure>;
  readonly prepared: ReturnType<typeof makePrepared>;
  readonly organizationEvents: (
    organizationId: string,
    range: Parameters<typeof organizationEvents>[2],
  ) => ReturnType<typeof organizationEvents>;
  readonly settled: (timeoutMs: number) => Promise<boolean>;
};

/** What answers auditors' questions, and who asks. */
export type AuditService = {
  readonly actor: Actor;
  readonly audit: Known;
  readonly commands: Commands;
  readonly logHeads: LogHeads;
  readonly personal: Pick<PersonalData, 'decrypt'>;
  readonly sign: SignJws;
  readonly store: EventStore & LogReader;
  /** By which names are found. */
  readonly services: Services;
};

export type How = {
  readonly signal: AbortSignal;
  /** Called with each event that is read. */
  readonly passed?: (event: { readonly created: number }) => void;
};

export const answered = (json: Readonly<Record<string, unknown>>): AuditAnswered => ({ ok: true, json });

export type Refused = Extract<AuditAnswered, { readonly ok: false }>;

export const refusedQuestion = (code: string, message: string): Refused => ({
  ok: false,
  code,
  message,
  isMisuse: false,
});

/** Parameters that nothing can be answered about. */
export const misusedQuestion = (message: string): Refused => ({
  ok: false,
  code: 'usage',
  message,
  isMisuse: true,
});
