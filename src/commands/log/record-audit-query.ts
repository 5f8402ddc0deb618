import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { noteAuditQuery, type AuditQuery } from '../../domain/log/audit-query.ts';
import { auditStream } from '../../domain/streams.ts';
import {
  EventStoreUnavailable,
  type ExpectedRevision,
  InvalidAppend,
  type RecordedEvent,
} from '../../eventstore/event-store.ts';
import { byAdministrator } from '../kernel/by-administrator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { retryUnknownOutcome } from '../kernel/retry-unknown-outcome.ts';

export type RecordAuditQuery = {
  /** User id, or `break-glass`. */
  readonly by: string;
  /** The administrator token that was used. */
  readonly tokenId?: string;
  /** Null where the query is not about one organization. */
  readonly organizationId: string | null;
  readonly query: AuditQuery;
  /** Ids, times, positions and counts, checked by the caller; null or undefined means not given. */
  readonly parameters: Readonly<Record<string, string | number | bigint | null | undefined>>;
};

type Noted = Pick<RecordedEvent, 'event' | 'metadata'>;

/** The newest questions of a person, as far as the stream is known, the oldest first. */
type Recent = { readonly revision: ExpectedRevision; readonly noted: readonly Noted[] };
type RecentQuestions = LRUCache<string, Recent>;

/** Few people ask at the same time; an evicted entry costs a read. */
export const makeRecentQuestions = (): RecentQuestions => new LRUCache({ max: 100 });

type Dependencies = Pick<CommandDependencies, 'store' | 'now'> & {
  /**
   * By stream, so that it is not read before each append. All instances agree: what another one recorded since makes the append a
   * conflict, after which the stream is read.
   */
  readonly recentQuestions: RecentQuestions;
};

/** A question that so many others have followed is recorded again. */
const mostRecent = 100;

/** Each conflict is another query of the same person at the same moment. */
const maxAttempts = 16;

/**
 * Records who queries what, once, also after an unknown outcome; a record of the same question stands for it for 15 minutes (FX-97).
 * @throws EventStoreUnavailable, AppendOutcomeUnknown: then no answer
 */
export const makeRecordAuditQuery =
  ({ store, now, recentQuestions }: Dependencies) =>
  async (
    { by, tokenId, organizationId, query, parameters }: RecordAuditQuery,
    context?: CommandContext,
  ): Promise<void> => {
    const asked = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [{ name, value: String(value) }],
    );
    const question = { organizationId, query, parameters: asked, now: now() };
    const stream = auditStream(by);
    const metadata = { ...context, ...byAdministrator(by, tokenId).metadata };
    const id = randomUUID();

    const toRecord = ({ noted }: Recent) => {
      const earlier = noted.flatMap((one) =>
        one.event.type === 'AuditQueried' && one.metadata.tokenId === tokenId ? [one.event] : [],
      );
      const { events, refusal } = noteAuditQuery(question, earlier);
      if (refusal) throw new InvalidAppend(`audit query ${query} has parameters that must not be stored`);
      return events[0];
    };
    const read = async (revision?: ExpectedRevision): Promise<Recent> => {
      const part = await store.readBack(stream, 'end', mostRecent);
      return { revision: revision ?? part.revision, noted: part.events };
    };

    await retryUnknownOutcome(async (run) => {
      let recent = (run === 'first' && recentQuestions.get(stream)) || (await read());
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const event = toRecord(recent);
        if (!event) {
          recentQuestions.set(stream, recent);
          return;
        }
        const appended = await store.append(stream, recent.revision, [{ id, event, metadata }]);
        if (appended.ok) {
          const noted = [...recent.noted, { event, metadata }].slice(-mostRecent);
          recentQuestions.set(stream, { revision: appended.revision, noted });
          return;
        }
        recent = await read(appended.actual);
      }
      throw new EventStoreUnavailable(`the stream ${stream} changed during each of ${maxAttempts} attempts`);
    });
  };
