import type { EventType } from '../../../src/domain/events.ts';
import {
  comparePositions,
  type LogSubscriptions,
  type Position,
  type RecordedEvent,
} from '../../../src/eventstore/event-store.ts';

/** What the log says about the run, as far as it has been heard. */
export type LogWatch = {
  /** `issuanceKey` → where the event is. */
  readonly issuances: ReadonlyMap<string, Position>;
  /** Grant → how often it was revoked, and why last. */
  readonly revocations: ReadonlyMap<string, { readonly count: number; readonly reason: string }>;
  /** `epochKey` → how often the epoch was ended. */
  readonly deactivations: ReadonlyMap<string, number>;
  /** `epochKey` → how many grants each RevocationCompleted counts. */
  readonly completions: ReadonlyMap<string, readonly number[]>;
  /** Resolves once `condition` holds; it is asked again after each event. False when it does not in time. */
  until(condition: () => boolean, milliseconds?: number): Promise<boolean>;
  /** Whether everything up to there has been heard. */
  heard(position: Position): boolean;
  close(): Promise<void>;
};

export const issuanceKey = (grantId: string, rotation: number): string => `${grantId}.${rotation}`;
export const epochKey = (organizationId: string, addonId: string, epoch: number): string =>
  `${organizationId}.${addonId}.${epoch}`;

const eventTypes: readonly EventType[] = [
  'AuthorizationCodeRedeemed',
  'TokensRefreshed',
  'GrantRevoked',
  'AddonDeactivated',
  'RevocationCompleted',
  'ProfileRecorded', // the markers
];

/** Listens to the log from the beginning, in parallel with both servers. */
export const watchLog = (log: LogSubscriptions): LogWatch => {
  const issuances = new Map<string, Position>();
  const revocations = new Map<string, { count: number; reason: string }>();
  const deactivations = new Map<string, number>();
  const completions = new Map<string, readonly number[]>();
  const waiting = new Set<() => void>();
  const leaving = new AbortController();
  let newest: Position = { commit: -1n, prepare: -1n };

  const note = ({ stream, position, event }: RecordedEvent) => {
    const id = stream.slice(stream.indexOf('-') + 1);
    if (event.type === 'AuthorizationCodeRedeemed') issuances.set(issuanceKey(id, 0), position);
    if (event.type === 'TokensRefreshed') issuances.set(issuanceKey(id, event.data.rotation), position);
    if (event.type === 'GrantRevoked')
      revocations.set(id, { count: (revocations.get(id)?.count ?? 0) + 1, reason: event.data.reason });
    if (event.type === 'AddonDeactivated') {
      const key = `${id}.${event.data.epoch}`;
      deactivations.set(key, (deactivations.get(key) ?? 0) + 1);
    }
    if (event.type === 'RevocationCompleted') {
      const key = `${id}.${event.data.epoch}`;
      completions.set(key, [...(completions.get(key) ?? []), event.data.grants]);
    }
    newest = position;
    waiting.forEach((ask) => ask());
  };
  const listen = async () => {
    for await (const message of log.subscribe({ after: null, eventTypes, signal: leaving.signal }))
      if (message.kind === 'event') note(message.event);
  };
  const listening = listen();

  return {
    issuances,
    revocations,
    deactivations,
    completions,
    heard: (position) => comparePositions(newest, position) >= 0,
    until: (condition, milliseconds = 60_000) =>
      new Promise((resolve) => {
        const settle = (held: boolean) => {
          waiting.delete(ask);
          clearTimeout(timer);
          resolve(held);
        };
        const ask = () => condition() && settle(true);
        const timer = setTimeout(() => settle(condition()), milliseconds);
        waiting.add(ask);
        ask();
      }),
    async close() {
      leaving.abort();
      await listening.catch(() => undefined);
    },
  };
};
