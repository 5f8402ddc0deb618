import type { Instant } from '../domain/kernel/decision.ts';
import type { NoticeQueue } from '../domain/signals/notice.ts';

/** That records of one list of one subject changed: a queue of its own, so that no end of access waits for it (ADR 87). */
export type RecordsQueue = `records:${string}:organization:${string}` | `records:${string}:user:${string}`;
export type Queue = NoticeQueue | RecordsQueue | 'verification';

/** The identifiers of a subject (RFC 9493). */
export type SubjectId = { readonly format: string } & Readonly<Record<string, unknown>>;

/** A SET before it is known which streams of the add-on get it; it is signed when it is offered. */
export type SetDraft = {
  readonly addonId: string;
  readonly queue: Queue;
  readonly type: string;
  /** The same at every repeat (SG-04). */
  readonly jti: string;
  readonly txn: string;
  readonly subId: SubjectId;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly at: Instant;
  readonly position: { readonly commit: bigint; readonly prepare: bigint };
  /** The place among the SETs of the same event. */
  readonly part: number;
};

/** The claims of a SET but for those that depend on who signs it and for whom. */
export type StoredClaims = {
  /** Seconds since the Unix epoch. */
  readonly iat: number;
  readonly txn: string;
  readonly sub_id: SubjectId;
  readonly events: Readonly<Record<string, unknown>>;
};

export const claimsOf = ({ at, txn, subId, type, payload }: SetDraft): StoredClaims => ({
  iat: Math.floor(at / 1000),
  txn,
  sub_id: subId,
  events: { [type]: payload },
});
