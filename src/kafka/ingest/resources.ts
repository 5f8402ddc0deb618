import type { z } from 'zod';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { RecordOutcome, RecordRequest } from '../../commands/records/record.ts';
import type { AnyRecord, RecordDescription } from '../../domain/records/record-resource.ts';
import { recordResources, type RecordResource } from '../../domain/records/record-resources.ts';
import type { Parsed } from '../records/parse-record.ts';
import { type ParsedRecord, recordSchema } from '../records/schemas.ts';
import { nextTraceparent } from '../../observability/tracing/traceparent.ts';
import type { ReceivedMessage } from '../kafka-client.ts';
import type { TopicNames } from '../topics.ts';
import { parseMessage } from './parse-message.ts';

export type RecordCommands = Pick<CommandsInContext, `record${RecordResource['name']}`>;

export type Work = {
  readonly organizationId: string;
  readonly id: string;
  readonly record: () => Promise<RecordOutcome>;
};

export type ReadWork = (message: ReceivedMessage) => Parsed<Work>;

export const readersOf = (
  topics: TopicNames['in'],
  commands: RecordCommands,
): ReadonlyMap<string, ReadWork> =>
  new Map(
    recordResources.map((resource) => [
      topics[resource.key],
      reader(recordSchema<RecordDescription>(resource), commands[`record${resource.name}`] as RecordAny),
    ]),
  );

type RecordAny = (request: RecordRequest<AnyRecord>, context: CommandContext) => Promise<RecordOutcome>;

const reader =
  (schema: z.ZodType<ParsedRecord<AnyRecord>>, record: RecordAny): ReadWork =>
  (message) => {
    const parsed = parseMessage(schema, message);
    if (!parsed.ok) return parsed;
    const { organizationId, id } = parsed.value;
    const context = { traceparent: nextTraceparent(traceOf(message)) };
    return { ok: true, value: { organizationId, id, record: () => record(parsed.value, context) } };
  };

/** The header's names in W3C Trace Context and in CloudEvents. */
const traceHeaders = ['traceparent', 'ce_traceparent'];

const traceOf = ({ headers }: ReceivedMessage): string | undefined =>
  headers.find(([name]) => traceHeaders.includes(name))?.[1].toString('latin1');
