import { erased, keyLost, personalFieldsOf, personIn } from '../domain/personal-data.ts';
import type { EncodedEvent } from '../eventstore/codec.ts';
import {
  holdsSealed,
  type OpenedEvent,
  type PersonalData,
  type SealedEvent,
  type SealedMember,
} from '../eventstore/personal-data.ts';
import type { KnownKey } from './key-cache.ts';
import { open, seal } from './seal-fields.ts';
import type { SubjectKeys } from './subject-keys.ts';

/** Seals and opens the personal fields of events, each bound to its stream and type. */
export const makePersonalData = (keys: Pick<SubjectKeys, 'of' | 'byId'>): PersonalData => {
  const sealEvent = async <E extends EncodedEvent>(stream: string, event: E): Promise<E> => {
    const fields = personalFieldsOf(event.type);
    const person = fields && personIn(event.type, event.data, stream);
    if (!fields || !person) return event;
    const { keyId, key } = await keys.of(person);
    const [plain, rest] = divide(event.data, fields);
    const sealed = key && seal(key, contextOf(stream, event.type), Buffer.from(JSON.stringify(plain)));
    const personal: SealedMember = { key: keyId, sealed: sealed ? sealed.toString('base64url') : null };
    return { ...event, data: { ...rest, personal } };
  };
  return {
    seal: async (stream, events) => Promise.all(events.map((event) => sealEvent(stream, event))),
    async open(events) {
      // All keys are asked for before the first is waited for: one question for all of them.
      const found = events.map(async ({ stream, type, data }) => {
        const member = sealedMember(data);
        return member && member.sealed !== null
          ? keys.byId(member.key, personIn(type, data as object, stream))
          : null;
      });
      const known = await Promise.all(found);
      return events.map((event, index) => openEvent(event, known[index] ?? null));
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

const openEvent = ({ stream, type, data }: SealedEvent, known: KnownKey | null): OpenedEvent => {
  const member = sealedMember(data);
  if (!member) return { data, personal: holdsSealed(data) ? 'damaged' : 'none', fields: {} };
  const { personal: _, ...rest } = data as { readonly personal: unknown };
  // A field beside the sealed member would stand where the key is gone; we never store one there.
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
  const plain = open(key, contextOf(stream, type), Buffer.from(member.sealed, 'base64url'));
  if (!plain) return { data, personal: 'damaged', fields: {} };
  const fields = JSON.parse(plain.toString('utf8')) as Readonly<Record<string, unknown>>;
  return { data: { ...rest, ...fields }, personal: 'opened', fields };
};

const sealedMember = (data: unknown): SealedMember | null => {
  if (!holdsSealed(data)) return null;
  const { key, sealed } = (data.personal ?? {}) as Partial<SealedMember>;
  return typeof key === 'string' && (sealed === null || typeof sealed === 'string') ? { key, sealed } : null;
};

/** Sealed fields that were moved to another stream or type do not open. */
const contextOf = (stream: string, type: string): string => `${stream}\n${type}`;
