import { addonTokenDecider } from '../domain/access/addon-token.ts';
import { consentDecider } from '../domain/access/consent.ts';
import { grantDecider } from '../domain/access/grant.ts';
import { addonDecider } from '../domain/addons/addon.ts';
import type { eventsByCategory } from '../domain/events.ts';
import type { Decider } from '../domain/kernel/decision.ts';
import { categoryOf } from '../domain/kernel/stream-name.ts';
import { projectionSwapDecider } from '../domain/log/projection-swap.ts';
import { signingKeyDecider } from '../domain/log/signing-key-history.ts';
import { activationDecider } from '../domain/organizations/activation.ts';
import { externalIdDecider } from '../domain/organizations/external-id.ts';
import { organizationDecider } from '../domain/organizations/organization.ts';
import { accountDecider, emailDecider } from '../domain/people/account.ts';
import { administratorTokenDecider } from '../domain/people/administrator-token.ts';
import { identityDecider } from '../domain/people/identity.ts';
import { operatorsDecider } from '../domain/people/operators.ts';
import { deadLettersDecider } from '../domain/records/dead-letters.ts';
import { expiredMessagesDecider } from '../domain/records/expired-messages.ts';
import { eachRecord } from '../domain/records/each-record.ts';
import { deciderOf, type RecordDescription } from '../domain/records/record-resource.ts';
import { publisherDecider } from '../domain/publishers/publisher.ts';
import { sessionDecider } from '../domain/sign-in/session.ts';
import { signalStreamDecider } from '../domain/signals/signal-stream.ts';
import {
  comparePositions,
  type Position,
  type RecordedEvent,
  type StoredEvent,
} from '../eventstore/event-store.ts';
import { streamThrough, type EventDependencies } from './read-events.ts';

type Folding = Decider<unknown, unknown>;

/** Each folds only the events of its own streams. */
const folding = <S, E>({ initial, evolve }: Decider<S, E>): Folding => ({
  initial,
  evolve: (state, event) => evolve(state as S, event as E),
});

/** The decider of each category of streams; null where there is none, and so no state. */
const deciders: { readonly [C in keyof typeof eventsByCategory]: Folding | null } = {
  addon: folding(addonDecider),
  clientToken: folding(addonTokenDecider),
  account: folding(accountDecider),
  email: folding(emailDecider),
  externalId: folding(externalIdDecider),
  identity: folding(identityDecider),
  administratorTokens: folding(administratorTokenDecider),
  organization: folding(organizationDecider),
  publisher: folding(publisherDecider),
  activation: folding(activationDecider),
  consent: folding(consentDecider),
  grant: folding(grantDecider),
  session: folding(sessionDecider),
  ...eachRecord('category', (resource) => folding(deciderOf<RecordDescription>(resource))),
  deadLetters: folding(deadLettersDecider),
  expiredMessages: folding(expiredMessagesDecider),
  projection: folding(projectionSwapDecider),
  audit: null,
  logHead: null,
  logCopy: null,
  signingKey: folding(signingKeyDecider),
  signalStream: folding(signalStreamDecider),
  retention: null,
  operators: folding(operatorsDecider),
};

/** Inclusive: the last event that is replayed. A time is the log's own, milliseconds since the Unix epoch. */
export type Until =
  { readonly revision: bigint } | { readonly position: Position } | { readonly time: number };

export type ReplayRequest = {
  readonly stream: string;
  readonly until?: Until | undefined;
  /** The first step to return; all earlier ones are folded too. */
  readonly from?: bigint | undefined;
  readonly limit: number;
};

/** One event and the state of the stream after it. Neither contains a secret. */
export type ReplayStep = {
  /** Null for an event that this version cannot read: the state does not change. */
  readonly event: RecordedEvent | null;
  readonly stored: StoredEvent;
  readonly data: unknown;
  readonly state: unknown;
};

export type Replay = {
  readonly steps: readonly ReplayStep[];
  /** The next value for `from`; null when everything requested was returned. */
  readonly next: bigint | null;
};

/** Folds a stream event by event, with the same fold as the decisions; holds only what it returns in memory. */
export const replay = async (
  dependencies: EventDependencies,
  { stream, until, from = 0n, limit }: ReplayRequest,
): Promise<Replay> => {
  const decider = deciders[categoryOf(stream) as keyof typeof deciders];
  let state: unknown = decider?.initial ?? null;
  const steps: ReplayStep[] = [];
  for await (const { stored, recorded } of streamThrough(dependencies, stream)) {
    if (until && isBeyond(stored, until)) break;
    if (steps.length === limit) return { steps, next: stored.revision };
    if (recorded && decider) state = decider.evolve(state, recorded.event);
    if (stored.revision >= from)
      steps.push({
        event: recorded,
        stored,
        data: plainJson(recorded?.event.data ?? null),
        state: plainJson(state),
      });
  }
  return { steps, next: null };
};

const isBeyond = ({ revision, position, created }: StoredEvent, until: Until): boolean => {
  if ('revision' in until) return revision > until.revision;
  return 'position' in until ? comparePositions(position, until.position) > 0 : created > until.time;
};

/** Fields that could help to guess or derive a secret: never shown. A new field of this kind fails the test that checks all schemas. */
export const hiddenFields: ReadonlySet<string> = new Set([
  'salt',
  'passwordHash',
  'digest',
  'codeChallenge',
  'nonce',
]);

export const hidden = '(not shown)';

/** Plain JSON for people and scripts: maps as objects, 64-bit numbers as text, without hidden fields. */
export const plainJson = (value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Map) return plainJson(Object.fromEntries(value));
  if (value instanceof Set) return [...value].map(plainJson);
  if (Array.isArray(value)) return value.map(plainJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      hiddenFields.has(name) && inner !== null ? hidden : plainJson(inner),
    ]),
  );
};
