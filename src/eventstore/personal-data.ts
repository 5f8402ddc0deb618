import type { EncodedEvent } from './codec.ts';

/**
 * The port to the keys of persons: what is about somebody is encrypted on its way into the log, and opened on its way out.
 * `src/personal` implements it.
 */
export type PersonalData = {
  /**
   * The same events with their personal fields in one encrypted member. New keys are durable before it answers.
   * @throws PersonalDataUnavailable
   */
  encrypt<E extends EncodedEvent>(stream: string, events: readonly E[]): Promise<readonly E[]>;
  /**
   * What each event's data is with its fields in place again, in the same order.
   * @throws PersonalDataUnavailable when the keys cannot be asked for: never because one was destroyed
   */
  decrypt(events: readonly EncryptedEvent[]): Promise<readonly DecryptedEvent[]>;
};

/** The part of a stored event that it is opened by; data that holds nothing encrypted comes back as it is. */
export type EncryptedEvent = { readonly stream: string; readonly type: string; readonly data: unknown };

export type DecryptedEvent = {
  /** As the domain knows it. Where the key was destroyed each personal field reads `erased`, where it is missing `key lost`; damaged, it is as stored. */
  readonly data: unknown;
  readonly personal: 'none' | 'opened' | 'erased' | 'key lost' | 'damaged';
  /** What was encrypted; empty unless it was opened. */
  readonly fields: Readonly<Record<string, unknown>>;
};

/**
 * The member of stored data that holds what is encrypted. No event of ours has a field of this name: an event stored in clear, as
 * all were before, is told apart by it, and its version says as ever which fields there are.
 */
export type EncryptedMember = {
  /** Id of the person's key. */
  readonly key: string;
  /** AES-256-GCM, base64url: nonce, ciphertext, tag. Null when the key was destroyed before the event was stored. */
  readonly sealed: string | null;
};

/** Whether stored data holds something encrypted. */
export const holdsEncrypted = (data: unknown): data is { readonly personal: unknown } =>
  typeof data === 'object' && data !== null && Object.hasOwn(data, 'personal');

type ClientEvent = { readonly streamId: string; readonly type: string; readonly data: unknown };

/** Opens what arrived together, with one question for its keys; events without anything encrypted are passed on as they are. */
export const decryptAll = async <E extends ClientEvent>(
  personal: PersonalData | undefined,
  events: readonly E[],
): Promise<readonly E[]> => {
  if (!personal) return events;
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
