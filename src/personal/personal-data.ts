import { personalFieldsOf, personIn } from '../domain/personal-data.ts';
import { erased, keyLost } from '../domain/unreadable-fields.ts';
import type { EncodedEvent } from '../eventstore/codec.ts';
import {
  holdsEncrypted,
  type DecryptedEvent,
  type PersonalData,
  type EncryptedEvent,
  type EncryptedMember,
} from '../eventstore/personal-data.ts';
import type { KnownKey } from './key-cache.ts';
import { decrypt, encrypt } from './encrypt-fields.ts';
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
  return {
    encrypt: async (stream, events) => Promise.all(events.map((event) => encryptEvent(stream, event))),
    async decrypt(events) {
      // All keys are requested before the first is awaited, so that they share a lookup.
      const found = events.map(async ({ stream, type, data }) => {
        const member = encryptedMember(data);
        return member && member.sealed !== null
          ? keys.byId(member.key, personIn(type, data as object, stream))
          : null;
      });
      const known = await Promise.all(found);
      return events.map((event, index) => decryptEvent(event, known[index] ?? null));
    },
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

const decryptEvent = ({ stream, type, data }: EncryptedEvent, known: KnownKey | null): DecryptedEvent => {
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
  const plain = decrypt(key, contextOf(stream, type), Buffer.from(member.sealed, 'base64url'));
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
