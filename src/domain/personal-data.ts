import type { EventOf, EventType } from './events.ts';
import { idOf } from './stream-name.ts';
import type { erased } from './unreadable-fields.ts';
import { personalFields, profileIn, type RecordDescription } from './record-resource.ts';
import { recordResources, type RecordResource } from './record-resources.ts';

/** Whose data it is: a user's account, or a person known to an organization. Each has a key of its own. */
export type PersonalSubject = `account:${string}` | `profile:${string}.${string}`;

export const accountPerson = (userId: string): PersonalSubject => `account:${userId}`;
export const profilePerson = (organizationId: string, id: string): PersonalSubject =>
  `profile:${organizationId}.${id}`;

type Data<T extends EventType> = EventOf<T>['data'];

/** Fields that can read `erased`: texts, or texts and null. */
type TextFields<T extends EventType> = {
  [K in keyof Data<T>]-?: typeof erased extends Data<T>[K] ? K : never;
}[keyof Data<T>];

type Personal<T extends EventType> = {
  readonly fields: readonly TextFields<T>[];
  /** @param id what follows the category in the stream's name */
  readonly subject: (data: Data<T>, id: string) => PersonalSubject;
};

type RecordData = { readonly organizationId: string; readonly id: string };

type PersonalRecordType<R extends RecordDescription> = R extends RecordDescription
  ? Extract<R['fields'][keyof R['fields']], { readonly personal: true }> extends never
    ? never
    : `${R['name']}Recorded`
  : never;

/** A record's are about its profile; about itself, where it is one. */
const personalRecords = Object.fromEntries(
  recordResources.flatMap((resource) => {
    const fields = personalFields(resource);
    const subject = (data: RecordData) => profilePerson(data.organizationId, profileIn(resource, data));
    return fields.length === 0 ? [] : [[`${resource.name}Recorded`, { fields, subject }]];
  }),
) as unknown as { readonly [T in PersonalRecordType<RecordResource>]: Personal<T> };

/**
 * Which fields of which events are about a person, and about whom. They are encrypted when an event is stored and opened when it
 * is read. Ids and links by ids stay: they name nobody to whoever has nothing else.
 */
export const personalEvents = {
  AccountCreated: { fields: ['email', 'name'], subject: ({ userId }) => accountPerson(userId) },
  PasswordSet: { fields: ['passwordHash'], subject: (_data, userId) => accountPerson(userId) },
  AdministratorTokenIssued: { fields: ['name'], subject: ({ userId }) => accountPerson(userId) },
  ...personalRecords,
} as const satisfies { readonly [T in EventType]?: Personal<T> };

type AnyPersonal = {
  readonly fields: readonly string[];
  readonly subject: (data: never, id: string) => PersonalSubject;
};

/** Who was erased, by the name of the stream that says so: an account's or a profile's. */
export const personOfStream = (stream: string): PersonalSubject =>
  stream.replace('-', ':') as PersonalSubject;

/** The stream that says that a person was erased. */
export const streamOfPerson = (subject: PersonalSubject): string => subject.replace(':', '-');

/** The personal fields of a type, or null when it has none. */
export const personalFieldsOf = (type: string): readonly string[] | null => entryOf(type)?.fields ?? null;

/** Whose fields an event has; only for types that have some. */
export const personIn = (type: string, data: object, stream: string): PersonalSubject | null =>
  entryOf(type)?.subject(data as never, idOf(stream)) ?? null;

const entryOf = (type: string): AnyPersonal | undefined =>
  Object.hasOwn(personalEvents, type) ? (personalEvents as Record<string, AnyPersonal>)[type] : undefined;
