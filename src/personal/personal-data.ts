import type { PersonalSubject } from '../domain/personal-data.ts';
import { personalFieldsOf, personIn } from '../domain/events.ts';
import { erased, keyLost } from '../domain/kernel/unreadable-fields.ts';
import type { EncodedEvent } from '../eventstore/codec/codec.ts';
import {
  addedIn,
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
    const { added } = event.metadata;
    const isPersonal = (part: object) => fields?.some((field) => Object.hasOwn(part, field)) ?? false;
    if (!fields || !person || !(isPersonal(event.data) || (added && isPersonal(added)))) return event;
    const { keyId, key } = await keys.of(person);
    const without = <P extends object>(part: P, context: string): P => {
      if (!isPersonal(part)) return part;
      const [plain, rest] = divide(part, fields);
      const sealed = key && encrypt(key, context, Buffer.from(JSON.stringify(plain)));
      const personal: EncryptedMember = { key: keyId, sealed: sealed ? sealed.toString('base64url') : null };
      return { ...rest, personal } as unknown as P;
    };
    return {
      ...event,
      data: without(event.data, contextOf(stream, event.type)),
      ...(added && {
        metadata: { ...event.metadata, added: without(added, addedContextOf(stream, event.type)) },
      }),
    };
  };
  const decryptPartOf = async (part: Part, person: () => PersonalSubject | null): Promise<DecryptedPart> => {
    const member = encryptedMember(part.data);
    const known = member && member.sealed !== null ? await keys.byId(member.key, person()) : null;
    return decryptPart(part, known);
  };
  const decryptEvent = async ({ stream, type, data, metadata }: EncryptedEvent): Promise<DecryptedEvent> => {
    const person = () => personIn(type, data as object, stream);
    const added = addedIn(metadata);
    const [own, later] = await Promise.all([
      decryptPartOf({ stream, type, data, context: contextOf(stream, type) }, person),
      holdsEncrypted(added)
        ? decryptPartOf({ stream, type, data: added, context: addedContextOf(stream, type) }, person)
        : null,
    ]);
    if (!later) return { ...own, metadata };
    return {
      data: own.data,
      metadata: { ...(metadata as object), added: later.data },
      personal: own.personal === 'none' ? later.personal : own.personal,
      fields: { ...own.fields, ...later.fields },
    };
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

type Part = {
  readonly stream: string;
  readonly type: string;
  readonly data: unknown;
  readonly context: string;
};
type DecryptedPart = Omit<DecryptedEvent, 'metadata'>;

const decryptPart = ({ type, data, context }: Part, known: KnownKey | null): DecryptedPart => {
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
/** Nor those of the metadata among those of the data. */
const addedContextOf = (stream: string, type: string): string => `${contextOf(stream, type)}\nadded`;
