import type { Decider, Decision } from './decision.ts';
import {
  decideRecord,
  recordDecider,
  type RecordCommand,
  type RecordKey,
  type RecordRefusal,
  type RecordState,
} from './record.ts';

/** What a field of a record holds. `user-id` names an account, `record-id` a record of the same organization. */
type Kind =
  | { readonly kind: 'record-id' | 'user-id' | 'time' }
  | { readonly kind: 'one-of'; readonly values: readonly string[] }
  /** Texts alone can be personal: once the key of their person is destroyed they read `erased`. */
  | (({ readonly kind: 'text'; readonly maxLength: number } | { readonly kind: 'email' | 'language-tag' }) & {
      readonly personal?: true;
    });

/** One field of a record, for all who store, read and show it. Times are RFC 3339 UTC as the host sent them. */
export type RecordField = Kind & {
  /** It may be absent or null, which mean the same. */
  readonly optional?: true;
  /** What the OpenAPI document says of it, and a value that it shows. */
  readonly description?: string;
  readonly shown?: string;
  /** What the help of the import says beside its name. */
  readonly note?: string;
};

/** All that is known of one kind of records of the host platform: everything else follows from it. */
export type RecordDescription = {
  /** Its events are `<name>Recorded` and `<name>Removed`; in the OpenAPI document it is called so. */
  readonly name: string;
  /** What properties of the program are called that hold something for each resource. */
  readonly key: string;
  /** Its streams are `<category>-<organization>.<id>`. */
  readonly category: string;
  /** Of the read models; the list that it holds is called so, too. */
  readonly table: string;
  /** `/<path>` is its list, `import <path>` the command. */
  readonly path: string;
  readonly scope: string;
  /** Of the scope in access tokens, above 1 (`openid`): never renumber. */
  readonly scopeCode: number;
  /** The usual one; the setting is `KAFKA_TOPIC_` and the table in capitals. */
  readonly topic: string;
  /** What the AsyncAPI document calls a message of it. */
  readonly message: string;
  /** By which the table of counted reads knows its list: never renumber. */
  readonly readsNumber: number;
  readonly words: {
    readonly one: string;
    readonly many: string;
    /** What one is, as a sentence. */
    readonly description: string;
    /** What the scope opens, behind "See profiles: ". */
    readonly consent: string;
  };
  /**
   * The field that says whose it is. A record of a user is a person and can be erased: that are profiles, and nothing else. All other
   * records are a profile's, and with it in the lists of its user.
   */
  readonly owner: { readonly is: 'user' | 'profile'; readonly field: string };
  readonly fields: Readonly<Record<string, RecordField>>;
  /** A time that must be after another one. */
  readonly later?: { readonly field: string; readonly than: string };
  /** What the OpenAPI document shows. */
  readonly example: { readonly id: string; readonly record: Readonly<Record<string, string | null>> };
};

type ValueOf<F extends RecordField> = F extends { readonly kind: 'one-of' } ? F['values'][number] : string;

/** A record in the program. */
export type RecordOf<R extends Pick<RecordDescription, 'fields'>> = {
  readonly [K in keyof R['fields']]: R['fields'][K] extends { readonly optional: true }
    ? ValueOf<R['fields'][K]> | null
    : ValueOf<R['fields'][K]>;
};

/** A record of whatever resource. */
export type AnyRecord = Readonly<Record<string, string | null>>;

/** `fields` has the named fields, and the example all of them. */
type Checked<R extends RecordDescription> = {
  readonly owner: { readonly field: keyof R['fields'] };
  readonly later?: { readonly field: keyof R['fields']; readonly than: keyof R['fields'] };
  readonly example: { readonly record: RecordOf<R> };
};

export const describeRecord = <const R extends RecordDescription>(resource: R & Checked<R>): R => resource;

/** `erased`: the person is forgotten; the key of what the log holds of them is destroyed. */
export type RecordChange = 'Recorded' | 'Removed' | 'Erased';

type ChangesOf<R extends RecordDescription> = R['owner']['is'] extends 'user'
  ? RecordChange
  : Exclude<RecordChange, 'Erased'>;

export type RecordTypeOf<R extends RecordDescription> = R extends RecordDescription
  ? `${R['name']}${ChangesOf<R>}`
  : never;

/** One type of object for each change: what is asked for by its type is found. */
export type RecordEventOf<R extends RecordDescription> = R extends RecordDescription
  ? {
      [C in ChangesOf<R>]: {
        readonly type: `${R['name']}${C}`;
        readonly data: C extends 'Recorded' ? RecordOf<R> & RecordKey : RecordKey;
      };
    }[ChangesOf<R>]
  : never;

export const changesOf = ({ owner }: RecordDescription): readonly RecordChange[] =>
  owner.is === 'user' ? ['Recorded', 'Removed', 'Erased'] : ['Recorded', 'Removed'];

/** The fields alone, without what an event or a caller keeps beside them. */
const fieldsIn = <R extends RecordDescription>({ fields }: R, record: RecordOf<R>): RecordOf<R> =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, record[name]])) as RecordOf<R>;

export const deciderOf = <const R extends RecordDescription>(
  resource: R,
): Decider<RecordState<RecordOf<R>>, RecordEventOf<R>> =>
  recordDecider<RecordOf<R>, RecordEventOf<R>>(({ type, data }) => {
    if (type === `${resource.name}Erased`) return 'erased';
    return type === `${resource.name}Recorded` ? fieldsIn(resource, data as RecordOf<R>) : null;
  });

/** Records what the host platform says about one record, or removes it (LI-08). */
export const recordIn =
  <const R extends RecordDescription>(resource: R) =>
  (
    known: RecordState<RecordOf<R>>,
    command: RecordCommand<RecordOf<R>>,
  ): Decision<RecordEventOf<R>, RecordRefusal> =>
    decideRecord(
      known,
      command,
      (record, key) =>
        (record === null
          ? { type: `${resource.name}Removed`, data: key }
          : {
              type: `${resource.name}Recorded`,
              data: { ...fieldsIn(resource, record), ...key },
            }) as RecordEventOf<R>,
    );

/** What a field is called outside the program: `validFrom` is `valid_from`. */
export const wireName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Of a resource the fields that are about a person. */
export const personalFields = <R extends RecordDescription>({ fields }: R): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) => ('personal' in field ? [name] : []));

/** The profile that a record is of: itself, or the one that it names. */
export const profileIn = <R extends RecordDescription>(
  { owner }: R,
  record: { readonly id: string } & Readonly<Record<string, unknown>>,
): string => (owner.is === 'user' ? record.id : String(record[owner.field]));
