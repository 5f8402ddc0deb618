import { statement } from '../common/transaction.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import type { SignalStream } from '../domain/signals/signal-stream.ts';
import type { Tx } from '../projections/follow/projection.ts';
import { lockStreamsOf, queueSets } from './set-queue.ts';
import { streamTypes } from './set-types.ts';
import { ensureStream } from './stream-table.ts';

/** Seconds between two verifications that a receiver asks for (SSF 1.0 §8.1.1). */
export const minVerificationInterval = 5;
/** Of a stream whose receiver takes none, these are enough: each is kept as long as every SET. */
const mostWaiting = 100;

export type Verification = {
  readonly stream: SignalStream;
  /** Echoed to the receiver; null: none. */
  readonly state: string | null;
  /** Of the SET, as it belongs to no stored event. */
  readonly jti: string;
  readonly txn: string;
  readonly now: Instant;
  /** By an operator, who may ask at any time. */
  readonly isUnlimited: boolean;
};

export type Verified = { readonly ok: true } | { readonly ok: false; readonly retryAt: Instant };

/** Queues a verification event (SSF 1.0 §8.1.4). Called in a transaction; works before the worker has seen the stream. */
export const verifyStream = async (tx: Tx, verification: Verification): Promise<Verified> => {
  const { stream, state, jti, txn, now, isUnlimited } = verification;
  const { streamId, addonId } = stream;
  await lockStreamsOf(tx, [addonId]); // an earlier one that the worker has not seen to be deleted, too
  await ensureStream(tx, { ...stream, authorizationHeader: stream.authorization });
  if (!isUnlimited) {
    const { rowCount: waiting } = await tx.query({ ...selectWaiting, values: [streamId, mostWaiting] });
    if (waiting === mostWaiting) return { ok: false, retryAt: now + minVerificationInterval * 1000 };
    const since = new Date(now - minVerificationInterval * 1000);
    const { rowCount } = await tx.query({ ...noteVerified, values: [streamId, new Date(now), since] });
    if (rowCount === 0) {
      const { rows } = await tx.query<{ verified_at: Date }>({ ...selectVerified, values: [streamId] });
      const last = rows[0]?.verified_at.getTime() ?? now;
      return { ok: false, retryAt: last + minVerificationInterval * 1000 };
    }
  }
  await queueSets(tx, [
    {
      addonId,
      queue: 'verification',
      type: streamTypes.verification,
      jti,
      txn,
      subId: { format: 'opaque', id: streamId },
      payload: state === null ? {} : { state },
      at: now,
      // Of no event: before all of them, in the order of their requests. No event is at such a position.
      position: { commit: 0n, prepare: BigInt(now) },
      part: 0,
    },
  ]);
  return { ok: true };
};

const selectWaiting = statement('waiting-signal-verifications')`
  select from signal_sets where stream_id = $1 and queue = 'verification' and waiting limit $2`;
const noteVerified = statement('note-signal-verification')`
  update signal_streams set verified_at = $2
  where stream_id = $1 and (verified_at is null or verified_at <= $3)`;
const selectVerified = statement('last-signal-verification')`
  select verified_at from signal_streams where stream_id = $1`;
