import type { Decider, Decision } from '../kernel/decision.ts';
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
  /** Only texts can be personal: once the key of their person is deleted they read `erased`. */
  | (({ readonly kind: 'text'; readonly maxLength: number } | { readonly kind: 'email' | 'language-tag' }) & {
      readonly personal?: true;
    });

/** One field of a record, as stored, read and shown everywhere. Times are RFC 3339 UTC as the host sent them. */
export type RecordField = Kind & {
  /** The field may be absent or null; both mean the same. */
  readonly optional?: true;
  /** Its description and example value in the OpenAPI document. */
  readonly description?: string;
  readonly shown?: string;
  readonly note?: string;
};

/** The only description of one kind of records of the host platform: everything else is derived from it. */
export type RecordDescription = {
  /** Its events are `<name>Recorded` and `<name>Removed`; it is also its name in the OpenAPI document. */
  readonly name: string;
  /** The property name for objects that hold a value for each resource. */
  readonly key: string;
  /** Its streams are `<category>-<organization>.<id>`. */
  readonly category: string;
  /** Table of the read models; also the name of the list. */
  readonly table: string;
  /** `/<path>` is its list, `import <path>` the command. */
  readonly path: string;
  readonly scope: string;
  /** Code of the scope in access tokens, above 1 (`openid`): never renumber. */
  readonly scopeCode: number;
  /** The default topic; the setting is `KAFKA_TOPIC_` and the table in capitals. */
  readonly topic: string;
  readonly message: string;
  /** The number of its list in the table of counted reads: never renumber. */
  readonly readsNumber: number;
  readonly words: {
    readonly one: string;
    readonly many: string;
    readonly description: string;
  };
  /**
   * The field that names the owner. A record that belongs to a user is a person and can be erased: only profiles are.
   * All other records belong to a profile, and appear with it in the lists of its user.
   */
  readonly owner: { readonly is: 'user' | 'profile'; readonly field: string };
  readonly fields: Readonly<Record<string, RecordField>>;
  readonly later?: { readonly field: string; readonly than: string };
  readonly example: { readonly id: string; readonly record: Readonly<Record<string, string | null>> };
};

type ValueOf<F extends RecordField> = F extends { readonly kind: 'one-of' } ? F['values'][number] : string;

/** A record as the program holds it. */
export type RecordOf<R extends Pick<RecordDescription, 'fields'>> = {
  readonly [K in keyof R['fields']]: R['fields'][K] extends { readonly optional: true }
    ? ValueOf<R['fields'][K]> | null
    : ValueOf<R['fields'][K]>;
};

export type AnyRecord = Readonly<Record<string, string | null>>;

/** Checks that `fields` has the named fields, and the example all of them. */
type Checked<R extends RecordDescription> = {
  readonly owner: { readonly field: keyof R['fields'] };
  readonly later?: { readonly field: keyof R['fields']; readonly than: keyof R['fields'] };
  readonly example: { readonly record: RecordOf<R> };
};

export const describeRecord = <const R extends RecordDescription>(resource: R & Checked<R>): R => resource;

/** `Erased`: the person is erased; the key of their personal data in the log is deleted. */
export type RecordChange = 'Recorded' | 'Removed' | 'Erased';

type ChangesOf<R extends RecordDescription> = R['owner']['is'] extends 'user'
  ? RecordChange
  : Exclude<RecordChange, 'Erased'>;

export type RecordTypeOf<R extends RecordDescription> = R extends RecordDescription
  ? `${R['name']}${ChangesOf<R>}`
  : never;

/** One object type per change, so that a type can be selected from the union by its `type`. */
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

export const personalFields = <R extends RecordDescription>({ fields }: R): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) => ('personal' in field ? [name] : []));

/** The profile that a record belongs to: itself, or the one that it names. */
export const profileIn = <R extends RecordDescription>(
  { owner }: R,
  record: { readonly id: string } & Readonly<Record<string, unknown>>,
): string => (owner.is === 'user' ? record.id : String(record[owner.field]));
