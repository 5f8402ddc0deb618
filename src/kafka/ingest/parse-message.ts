import type { z } from 'zod';
import { isOwnId, isRecordId, recordId } from '../../domain/kernel/ids.ts';
import { splitId } from '../../domain/kernel/stream-name.ts';
import { ownId, version as recordVersion } from '../records/fields.ts';
import {
  checkRecord,
  maxRecordBytes,
  type Parsed,
  parseObject,
  type RecordProblem,
} from '../records/parse-record.ts';
import type { ParsedRecord } from '../records/schemas.ts';
import type { ReceivedMessage } from '../kafka-client.ts';

/** A record of one organization, or null as the record to remove it. */
export type MessageRecord<T> = ParsedRecord<T> & { readonly organizationId: string };

type Message = Pick<ReceivedMessage, 'key' | 'value' | 'headers'>;

/** A line of the import with `organization_id`, or a tombstone, of which only the key matters. */
export const parseMessage = <T>(
  schema: z.ZodType<ParsedRecord<T>>,
  message: Message,
): Parsed<MessageRecord<T>> => {
  if (message.value === null) return parseTombstone(message);
  const read = readText(message.value);
  const object = read.ok ? parseObject(read.value, 'the value') : read;
  if (!object.ok) return object;
  const { organization_id, ...line } = object.value as Readonly<Record<string, unknown>>;
  const organizationId = ownId.safeParse(organization_id);
  const record = checkRecord(schema, line);
  if (organizationId.success && record.ok)
    return { ok: true, value: { organizationId: organizationId.data, ...record.value } };
  return refused(
    ...(organizationId.success ? [] : toProblems('organization_id', organizationId.error)),
    ...(record.ok ? [] : record.problems),
  );
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

const readText = (value: Buffer): Parsed<string> => {
  if (value.length > maxRecordBytes)
    return refused({ field: null, message: `the value is longer than ${maxRecordBytes / 1024} KiB` });
  try {
    return { ok: true, value: utf8.decode(value) };
  } catch {
    return refused({ field: null, message: 'the value is not valid UTF-8' });
  }
};

const keyAllowed = `must be <organization_id>.<id> where the value is null; an id is ${recordId.allowed}`;
const versionHeader = 'version';

/** A tombstone has no value: the key names the record, the header `version` its version. */
const parseTombstone = ({ key, headers }: Message): Parsed<MessageRecord<never>> => {
  const [organizationId, id] = splitId(key?.toString('latin1') ?? '');
  const isKey = isOwnId(organizationId) && isRecordId(id);
  const given = headers.flatMap(([name, value]) =>
    name === versionHeader ? [value.toString('latin1')] : [],
  );
  const version = recordVersion.safeParse(given.length === 0 ? undefined : toNumber(given));
  if (isKey && version.success)
    return { ok: true, value: { organizationId, id, version: version.data, record: null } };
  return refused(
    ...(isKey ? [] : [{ field: 'key', message: keyAllowed }]),
    ...(version.success ? [] : toProblems(`header ${versionHeader}`, version.error)),
  );
};

/** Digits as in JSON; a repeated header is invalid. */
const toNumber = ([text = '', ...more]: readonly string[]): number =>
  more.length === 0 && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;

const toProblems = (field: string, error: z.ZodError): readonly RecordProblem[] =>
  error.issues.map(({ message }) => ({ field, message }));

const refused = (...problems: readonly RecordProblem[]) => ({ ok: false, problems }) as const;
