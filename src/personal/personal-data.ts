import { personalFieldsOf, personIn } from '../domain/events.ts';
import { erased, keyLost } from '../domain/kernel/unreadable-fields.ts';
import type { EncodedEvent } from '../eventstore/codec/envelope.ts';
import {
  holdsEncrypted,
  type DecryptedEvent,
  type PersonalData,
  type EncryptedEvent,
  type EncryptedMember,
} from '../eventstore/codec/personal-data.ts';
import type { KnownKey } from './key-cache.ts';
import { decrypt, encrypt } from '../common/aes-gcm.ts';
import type { SubjectKeys } from './subject-keys.ts';

/** Encrypts and decrypts the personal fields of events, each bound to its stream and type. */
export const makePersonalData = (keys: Pick<SubjectKeys, 'of' | 'byId'>): PersonalData => {
  const encryptEvent = async <E extends EncodedEvent>(stream: string, event: E): Promise<E> => {
    const fields = personalFieldsOf(event.type);
    const person = fields && personIn(event.type, event.data, stream);
    if (!fields || !person) return event;
    const { keyId, key } = await keys.of(person);
    const [plain, rest] = divide(event.data, fields);
    const sealed = key && encrypt(key, contextOf(stream, event.type), Buffer.from(JSON.stringify(plain)));
    const personal: EncryptedMember = { key: keyId, sealed: sealed ? sealed.toString('base64url') : null };
    return { ...event, data: { ...rest, personal } };
  };
  const decryptEvent = async ({ stream, type, data }: EncryptedEvent): Promise<DecryptedEvent> => {
    const member = encryptedMember(data);
    const person = () => personIn(type, data as object, stream);
    const known = member && member.sealed !== null ? await keys.byId(member.key, person()) : null;
    return decryptData({ type, data, context: contextOf(stream, type) }, known);
  };
  return {
    encrypt: async (stream, events) => Promise.all(events.map((event) => encryptEvent(stream, event))),
    // All keys are requested before the first is awaited, so that they share a lookup.
    decrypt: (events) => Promise.all(events.map(decryptEvent)),
  };
};

const divide = (data: object, fields: readonly string[]) => {
  const entries = Object.entries(data);
  const isPersonal = ([name]: [string, unknown]) => fields.includes(name);
  return [
    Object.fromEntries(entries.filter(isPersonal)),
    Object.fromEntries(entries.filter((entry) => !isPersonal(entry))),
  ] as const;
};

type Encrypted = { readonly type: string; readonly data: unknown; readonly context: string };

const decryptData = ({ type, data, context }: Encrypted, known: KnownKey | null): DecryptedEvent => {
  const member = encryptedMember(data);
  if (!member) return { data, personal: holdsEncrypted(data) ? 'damaged' : 'none', fields: {} };
  const { personal: _, ...rest } = data as { readonly personal: unknown };
  // An unencrypted field next to the encrypted member would stay when the key is deleted; we never store one there.
  if (personalFieldsOf(type)?.some((field) => Object.hasOwn(rest, field)))
    return { data, personal: 'damaged', fields: {} };
  const key = known?.key;
  if (!key || member.sealed === null) {
    const isLost = known?.lost === true;
    const gone = (personalFieldsOf(type) ?? []).map((field) => [field, isLost ? keyLost : erased]);
    return {
      data: { ...Object.fromEntries(gone), ...rest },
      personal: isLost ? 'key lost' : 'erased',
      fields: {},
    };
  }
  const plain = decrypt(key, context, Buffer.from(member.sealed, 'base64url'));
  if (!plain) return { data, personal: 'damaged', fields: {} };
  const fields = JSON.parse(plain.toString('utf8')) as Readonly<Record<string, unknown>>;
  return { data: { ...rest, ...fields }, personal: 'opened', fields };
};

const encryptedMember = (data: unknown): EncryptedMember | null => {
  if (!holdsEncrypted(data)) return null;
  const { key, sealed } = (data.personal ?? {}) as Partial<EncryptedMember>;
  return typeof key === 'string' && (sealed === null || typeof sealed === 'string') ? { key, sealed } : null;
};

/** Encrypted fields that were moved to another stream or type cannot be decrypted. */
const contextOf = (stream: string, type: string): string => `${stream}\n${type}`;
