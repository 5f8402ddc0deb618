import type { EventOf, EventType } from './events.ts';
import { idOf } from './kernel/stream-name.ts';
import type { erased } from './kernel/unreadable-fields.ts';
import { personalFields, profileIn, type RecordDescription } from './records/record-resource.ts';
import { recordResources, type RecordResource } from './records/record-resources.ts';

/** The person that data belong to: a user's account, or a person known to an organization. Each has its own key. */
export type PersonalSubject = `account:${string}` | `profile:${string}.${string}`;

export const accountPerson = (userId: string): PersonalSubject => `account:${userId}`;
export const profilePerson = (organizationId: string, id: string): PersonalSubject =>
  `profile:${organizationId}.${id}`;

type Data<T extends EventType> = EventOf<T>['data'];

/** Fields that can have the value `erased`: texts, or texts and null. */
type TextFields<T extends EventType> = {
  [K in keyof Data<T>]-?: typeof erased extends Data<T>[K] ? K : never;
}[keyof Data<T>];

type Personal<T extends EventType> = {
  readonly fields: readonly TextFields<T>[];
  /** @param id the part of the stream's name after the category */
  readonly subject: (data: Data<T>, id: string) => PersonalSubject;
};

type RecordData = { readonly organizationId: string; readonly id: string };

type PersonalRecordType<R extends RecordDescription> = R extends RecordDescription
  ? Extract<R['fields'][keyof R['fields']], { readonly personal: true }> extends never
    ? never
    : `${R['name']}Recorded`
  : never;

/** The personal fields of a record belong to its profile; a profile's belong to itself. */
const personalRecords = Object.fromEntries(
  recordResources.flatMap((resource) => {
    const fields = personalFields(resource);
    const subject = (data: RecordData) => profilePerson(data.organizationId, profileIn(resource, data));
    return fields.length === 0 ? [] : [[`${resource.name}Recorded`, { fields, subject }]];
  }),
) as unknown as { readonly [T in PersonalRecordType<RecordResource>]: Personal<T> };

/**
 * The personal fields of events, and the person they belong to. They are encrypted when an event is stored and
 * decrypted when it is read. Ids and references by id stay: alone they identify nobody.
 */
export const personalEvents = {
  AccountCreated: { fields: ['email', 'name'], subject: ({ userId }) => accountPerson(userId) },
  AccountRenamed: { fields: ['name'], subject: (_data, userId) => accountPerson(userId) },
  AccountEmailChanged: { fields: ['email'], subject: (_data, userId) => accountPerson(userId) },
  IdentityLinked: { fields: ['subject'], subject: (_data, userId) => accountPerson(userId) },
  PasswordSet: { fields: ['passwordHash'], subject: (_data, userId) => accountPerson(userId) },
  PasskeyAdded: {
    fields: ['name', 'credentialId', 'publicKey'],
    subject: (_data, userId) => accountPerson(userId),
  },
  PasskeyRenamed: { fields: ['name'], subject: (_data, userId) => accountPerson(userId) },
  AdministratorTokenIssued: { fields: ['name'], subject: ({ userId }) => accountPerson(userId) },
  SessionStarted: { fields: ['device', 'network'], subject: ({ userId }) => accountPerson(userId) },
  ...personalRecords,
} as const satisfies { readonly [T in EventType]?: Personal<T> };

type AnyPersonal = {
  readonly fields: readonly string[];
  readonly subject: (data: never, id: string) => PersonalSubject;
};

/** The person that was erased, from the name of the account's or profile's stream. */
export const personOfStream = (stream: string): PersonalSubject =>
  stream.replace('-', ':') as PersonalSubject;

/** The stream that records the erasure of a person. */
export const streamOfPerson = (subject: PersonalSubject): string => subject.replace(':', '-');

/** The personal fields of a type, or null when it has none. */
export const personalFieldsOf = (type: string): readonly string[] | null => entryOf(type)?.fields ?? null;

/** The person that an event's fields belong to; only for types that have personal fields. */
export const personIn = (type: string, data: object, stream: string): PersonalSubject | null =>
  entryOf(type)?.subject(data as never, idOf(stream)) ?? null;

const entryOf = (type: string): AnyPersonal | undefined =>
  Object.hasOwn(personalEvents, type) ? (personalEvents as Record<string, AnyPersonal>)[type] : undefined;
