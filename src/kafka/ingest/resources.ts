import type { z } from 'zod';
import type { Commands, RecordOutcome, RecordRequest } from '../../commands/commands.ts';
import type { Parsed, ParsedRecord } from '../../records/parse-record.ts';
import { accessRightRecord, profileRecord, reservationRecord } from '../../records/schemas.ts';
import type { ReceivedMessage } from '../kafka-client.ts';
import type { TopicNames } from '../topics.ts';
import { parseMessage } from './parse-message.ts';

export type RecordCommands = Pick<Commands, 'recordProfile' | 'recordReservation' | 'recordAccessRight'>;

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
    [topics.profiles, reader(profileRecord, (request) => commands.recordProfile(request))],
    [topics.reservations, reader(reservationRecord, (request) => commands.recordReservation(request))],
    [topics.accessRights, reader(accessRightRecord, (request) => commands.recordAccessRight(request))],
  ]);

const reader =
  <T>(
    schema: z.ZodType<ParsedRecord<T>>,
    record: (request: RecordRequest<T>) => Promise<RecordOutcome>,
  ): ReadWork =>
  (message) => {
    const parsed = parseMessage(schema, message);
    if (!parsed.ok) return parsed;
    const { organizationId, id } = parsed.value;
    return { ok: true, value: { organizationId, id, record: () => record(parsed.value) } };
  };
