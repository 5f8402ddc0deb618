import { personalFieldsOf } from '../../domain/events.ts';
import type { EncodedEvent } from './envelope.ts';

/**
 * The port to the keys of persons: personal data is encrypted when written to the log, and decrypted when read.
 * `src/personal` implements it.
 */
export type PersonalData = {
  /**
   * The same events with their personal fields in one encrypted member. New keys are durable before it returns.
   * @throws PersonalDataUnavailable
   */
  encrypt<E extends EncodedEvent>(stream: string, events: readonly E[]): Promise<readonly E[]>;
  /**
   * The decrypted data of each event, in the same order.
   * @throws PersonalDataUnavailable when the keys cannot be read; never because a key was destroyed
   */
  decrypt(events: readonly EncryptedEvent[]): Promise<readonly DecryptedEvent[]>;
};

/** The part of a stored event that decryption needs; what has no encrypted content is returned unchanged. */
export type EncryptedEvent = {
  readonly stream: string;
  readonly type: string;
  readonly data: unknown;
};

export type DecryptedEvent = {
  /**
   * In the form of the domain. Personal fields are `erased` if the key was destroyed, and `key lost` if it is missing;
   * damaged data stays as stored.
   */
  readonly data: unknown;
  readonly personal: 'none' | 'opened' | 'erased' | 'key lost' | 'damaged';
  /** The decrypted fields; empty unless decryption succeeded. */
  readonly fields: Readonly<Record<string, unknown>>;
};

/**
 * The member of stored data with the encrypted content. No event type has a field of this name. The event's version
 * defines which fields are in it.
 */
export type EncryptedMember = {
  readonly key: string;
  /** AES-256-GCM, base64url: nonce, ciphertext, tag. Null when the key was destroyed before the event was stored. */
  readonly sealed: string | null;
};

export const holdsEncrypted = (data: unknown): data is { readonly personal: unknown } =>
  typeof data === 'object' && data !== null && Object.hasOwn(data, 'personal');

type ClientEvent = {
  readonly streamId: string;
  readonly type: string;
  readonly data: unknown;
};

/** Decrypts a batch of events with one query for all keys; events without encrypted content are passed on unchanged. */
export const decryptAll = async <E extends ClientEvent>(
  personal: PersonalData,
  events: readonly E[],
): Promise<readonly E[]> => {
  const sealed = events.filter(({ data }) => holdsEncrypted(data));
  if (sealed.length === 0) return events;
  const opened = await personal.decrypt(
    sealed.map(({ streamId, type, data }) => ({ stream: streamId, type, data })),
  );
  let next = 0;
  return events.map((event) =>
    holdsEncrypted(event.data) ? { ...event, data: opened[next++]?.data } : event,
  );
};

/** We store no personal field in clear text, so nobody of ours has stored such an event: `refused` says so. */
export const refuseClear = <E extends ClientEvent>(events: readonly E[]): readonly E[] =>
  events.some(isInClear)
    ? events.map((event) =>
        isInClear(event) ? { ...event, refused: 'its personal fields are not encrypted' } : event,
      )
    : events;

const isInClear = ({ type, data }: ClientEvent): boolean =>
  !holdsEncrypted(data) &&
  (personalFieldsOf(type) ?? []).some((field) => Object.hasOwn((data ?? {}) as object, field));
