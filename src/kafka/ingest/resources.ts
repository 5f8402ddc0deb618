import type { z } from 'zod';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { CommandContext } from '../../commands/context.ts';
import type { RecordOutcome, RecordRequest } from '../../commands/record.ts';
import type { Parsed, ParsedRecord } from '../../records/parse-record.ts';
import { accessRightRecord, profileRecord, reservationRecord } from '../../records/schemas.ts';
import { nextTraceparent } from '../../tracing/traceparent.ts';
import type { ReceivedMessage } from '../kafka-client.ts';
import type { TopicNames } from '../topics.ts';
import { parseMessage } from './parse-message.ts';

export type RecordCommands = Pick<
  CommandsInContext,
  'recordProfile' | 'recordReservation' | 'recordAccessRight'
>;

/** What a message asks for. */
export type Work = {
  readonly organizationId: string;
  readonly id: string;
  readonly record: () => Promise<RecordOutcome>;
};

export type ReadWork = (message: ReceivedMessage) => Parsed<Work>;

/** How the messages of each topic are read. */
export const readersOf = (
  topics: TopicNames['in'],
  commands: RecordCommands,
): ReadonlyMap<string, ReadWork> =>
  new Map([
    [topics.profiles, reader(profileRecord, (...given) => commands.recordProfile(...given))],
    [topics.reservations, reader(reservationRecord, (...given) => commands.recordReservation(...given))],
    [topics.accessRights, reader(accessRightRecord, (...given) => commands.recordAccessRight(...given))],
  ]);

const reader =
  <T>(
    schema: z.ZodType<ParsedRecord<T>>,
    record: (request: RecordRequest<T>, context: CommandContext) => Promise<RecordOutcome>,
  ): ReadWork =>
  (message) => {
    const parsed = parseMessage(schema, message);
    if (!parsed.ok) return parsed;
    const { organizationId, id } = parsed.value;
    const context = { traceparent: nextTraceparent(traceOf(message)) };
    return { ok: true, value: { organizationId, id, record: () => record(parsed.value, context) } };
  };

/** As W3C Trace Context names it, or CloudEvents. */
const traceHeaders = ['traceparent', 'ce_traceparent'];

const traceOf = ({ headers }: ReceivedMessage): string | undefined =>
  headers.find(([name]) => traceHeaders.includes(name))?.[1].toString('latin1');
