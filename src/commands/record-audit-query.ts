import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { noteAuditQuery, type AuditQuery } from '../domain/audit-query.ts';
import { auditStream } from '../domain/streams.ts';
import { EventStoreUnavailable, type ExpectedRevision, InvalidAppend } from '../eventstore/event-store.ts';
import type { CommandContext } from './context.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

export type RecordAuditQuery = {
  /** User id, or `operator`. */
  readonly by: string;
  /** Null where the question is not about one organization. */
  readonly organizationId: string | null;
  readonly query: AuditQuery;
  /** Ids, times, positions and counts, checked by the caller; what is null or undefined was not asked for. */
  readonly parameters: Readonly<Record<string, string | number | bigint | null | undefined>>;
};

/** By stream: how far it was known to go. */
type AuditRevisions = LRUCache<string, ExpectedRevision>;

/** Auditors are few; what is forgotten costs one attempt more. */
export const makeAuditRevisions = (): AuditRevisions => new LRUCache({ max: 1_000 });

type Dependencies = Pick<CommandDependencies, 'store' | 'now'> & {
  /** How far the streams were known to go, so that none is read to be appended to: they only grow. */
  readonly auditRevisions: AuditRevisions;
};

/** Each conflict is another question of the same auditor at the same moment. */
const maxAttempts = 16;

/**
 * Notes who asks what of the history. Whoever answers without it having succeeded has broken the promise that read access
 * is recorded. An unknown outcome is tried again under the same event id, so that a question is noted once.
 * @throws EventStoreUnavailable, AppendOutcomeUnknown then there is no answer
 */
export const makeRecordAuditQuery =
  ({ store, now, auditRevisions }: Dependencies) =>
  async (
    { by, organizationId, query, parameters }: RecordAuditQuery,
    context?: CommandContext,
  ): Promise<void> => {
    const asked = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [{ name, value: String(value) }],
    );
    const { events, refusal } = noteAuditQuery({ organizationId, query, parameters: asked, now: now() });
    if (refusal) throw new InvalidAppend(`a question ${query} with parameters that may not be kept`);
    const stream = auditStream(by);
    const metadata = { ...context, actor: by };
    const toAppend = events.map((event) => ({ id: randomUUID(), event, metadata }));
    let expected = auditRevisions.get(stream) ?? 'no-stream';
    await retryUnknownOutcome(async () => {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const appended = await store.append(stream, expected, toAppend);
        expected = appended.ok ? appended.revision : appended.actual;
        auditRevisions.set(stream, expected);
        if (appended.ok) return;
      }
      throw new EventStoreUnavailable(`the stream ${stream} changed under ${maxAttempts} attempts`);
    });
  };
