import { accountDecider, emailDecider } from '../domain/account.ts';
import { activationDecider } from '../domain/activation.ts';
import { addonDecider } from '../domain/addon.ts';
import { administratorTokenDecider } from '../domain/administrator-token.ts';
import { consentDecider } from '../domain/consent.ts';
import type { Decider } from '../domain/decision.ts';
import { grantDecider } from '../domain/grant.ts';
import { organizationDecider } from '../domain/organization.ts';
import { projectionSwapDecider } from '../domain/projection-swap.ts';
import { deciderOf, type RecordDescription } from '../domain/record-resource.ts';
import { eachRecord } from '../domain/each-record.ts';
import { sessionDecider } from '../domain/session.ts';
import { signingKeyDecider } from '../domain/signing-key-history.ts';
import { categoryOf } from '../domain/stream-name.ts';
import {
  comparePositions,
  type Position,
  type RecordedEvent,
  type StoredEvent,
} from '../eventstore/event-store.ts';
import type { schemasByCategory } from '../eventstore/schemas/event-schemas.ts';
import { plainJson } from './plain-json.ts';
import { streamThrough, type EventDependencies } from './read-events.ts';

type Folding = Decider<unknown, unknown>;

/** Each folds the events of its own streams, and of no other. */
const folding = <S, E>({ initial, evolve }: Decider<S, E>): Folding => ({
  initial,
  evolve: (state, event) => evolve(state as S, event as E),
});

/** What decides on each stream; null where nothing does, so that there is no state. */
const deciders: { readonly [C in keyof typeof schemasByCategory]: Folding | null } = {
  addon: folding(addonDecider),
  account: folding(accountDecider),
  email: folding(emailDecider),
  administratorTokens: folding(administratorTokenDecider),
  organization: folding(organizationDecider),
  activation: folding(activationDecider),
  consent: folding(consentDecider),
  grant: folding(grantDecider),
  session: folding(sessionDecider),
  ...eachRecord('category', (resource) => folding(deciderOf<RecordDescription>(resource))),
  projection: folding(projectionSwapDecider),
  audit: null,
  logHead: null,
  logCopy: null,
  signingKey: folding(signingKeyDecider),
  retention: null,
};

export const categories = Object.keys(deciders);

/** Inclusive: the last event that is replayed. A time is the log's own, milliseconds since the Unix epoch. */
export type Until =
  { readonly revision: bigint } | { readonly position: Position } | { readonly time: number };

export type ReplayRequest = {
  readonly stream: string;
  readonly until?: Until;
  /** The first step that is told; all before it are folded too. */
  readonly from?: bigint;
  readonly limit: number;
};

/** One event and what it made of the stream. Nothing secret is in either. */
export type ReplayStep = {
  /** Null for an event that this version cannot read: the state stays as it was. */
  readonly event: RecordedEvent | null;
  readonly stored: StoredEvent;
  readonly data: unknown;
  readonly state: unknown;
};

export type Replay = {
  readonly steps: readonly ReplayStep[];
  /** The revision to go on `from`; null when all that was asked for has been told. */
  readonly next: bigint | null;
};

/** Whether a stream is of a kind that can be replayed. */
export const isReplayable = (stream: string): boolean =>
  /^[A-Za-z]+-[A-Za-z0-9_.]{1,200}$/.test(stream) && Object.hasOwn(deciders, categoryOf(stream));

/** Folds a stream event by event, with the fold that decides; holds no more than what it tells. */
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
