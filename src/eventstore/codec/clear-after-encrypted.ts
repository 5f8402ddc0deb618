import { LRUCache } from 'lru-cache';
import { personalFieldsOf } from '../../domain/events.ts';
import { holdsEncrypted } from './personal-data.ts';

type Stored = {
  readonly streamId: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly refused?: string;
};

/** Whether the stream has an encrypted event before that revision. */
export type EncryptedBefore = (stream: string, revision: bigint) => Promise<boolean>;

const refused = 'its personal fields are not encrypted, although earlier events of the stream are';

/** Fields that were added to a type later are in the metadata: data without the type's fields hold nothing to encrypt. */
const isInClear = ({ type, data }: Stored): boolean =>
  !holdsEncrypted(data) &&
  (personalFieldsOf(type) ?? []).some((field) => Object.hasOwn((data ?? {}) as object, field));

/**
 * Marks events in clear text that follow encrypted ones, in events of any streams, each stream's in order. Since there
 * are keys, we encrypt everything that we store, so clear text is legitimate only before the first encrypted event.
 */
export const refuseClear = async <E extends Stored>(
  events: readonly E[],
  encryptedBefore: EncryptedBefore,
): Promise<readonly E[]> => {
  if (!events.some(isInClear)) return events;
  const encrypted = new Map<string, boolean>();
  const judged: E[] = [];
  for (const event of events) {
    const { streamId, revision } = event;
    if (holdsEncrypted(event.data)) encrypted.set(streamId, true);
    if (!isInClear(event)) {
      judged.push(event);
      continue;
    }
    const isBehind =
      encrypted.get(streamId) ?? (revision > 0n && (await encryptedBefore(streamId, revision)));
    encrypted.set(streamId, isBehind);
    judged.push(isBehind ? { ...event, refused } : event);
  }
  return judged;
};

const mostKnown = 10_000;

/** Reads the log, and caches up to which revision a stream has nothing encrypted. */
export const makeEncryptedBefore = (
  readData: (stream: string, from: bigint, count: number) => Promise<readonly { readonly data: unknown }[]>,
): EncryptedBefore => {
  const clearUpTo = new LRUCache<string, bigint>({ max: mostKnown });
  return async (stream, revision) => {
    const from = clearUpTo.get(stream) ?? 0n;
    const before = revision > from ? await readData(stream, from, Number(revision - from)) : [];
    if (before.some(({ data }) => holdsEncrypted(data))) return true;
    clearUpTo.set(stream, revision > from ? revision : from);
    return false;
  };
};
