import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { noteAuditQuery, type AuditQuery } from '../../domain/log/audit-query.ts';
import { auditStream } from '../../domain/streams.ts';
import { EventStoreUnavailable, type ExpectedRevision, InvalidAppend } from '../../eventstore/event-store.ts';
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

/** The last known revision, by stream. */
type AuditRevisions = LRUCache<string, ExpectedRevision>;

/** Few people ask at the same time; an evicted entry costs one more attempt. */
export const makeAuditRevisions = (): AuditRevisions => new LRUCache({ max: 100 });

type Dependencies = Pick<CommandDependencies, 'store' | 'now'> & {
  /** The last known revisions of the streams, so that none is read before an append: streams only grow. */
  readonly auditRevisions: AuditRevisions;
};

/** Each conflict is another query of the same person at the same moment. */
const maxAttempts = 16;

/** Records who queries what, once, also after an unknown outcome. @throws EventStoreUnavailable, AppendOutcomeUnknown: then no answer */
export const makeRecordAuditQuery =
  ({ store, now, auditRevisions }: Dependencies) =>
  async (
    { by, tokenId, organizationId, query, parameters }: RecordAuditQuery,
    context?: CommandContext,
  ): Promise<void> => {
    const asked = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [{ name, value: String(value) }],
    );
    const { events, refusal } = noteAuditQuery({ organizationId, query, parameters: asked, now: now() });
    if (refusal) throw new InvalidAppend(`audit query ${query} has parameters that must not be stored`);
    const stream = auditStream(by);
    const metadata = { ...context, ...byAdministrator(by, tokenId).metadata };
    const toAppend = events.map((event) => ({ id: randomUUID(), event, metadata }));
    let expected = auditRevisions.get(stream) ?? 'no-stream';
    await retryUnknownOutcome(async () => {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const appended = await store.append(stream, expected, toAppend);
        expected = appended.ok ? appended.revision : appended.actual;
        auditRevisions.set(stream, expected);
        if (appended.ok) return;
      }
      throw new EventStoreUnavailable(`the stream ${stream} changed during each of ${maxAttempts} attempts`);
    });
  };
