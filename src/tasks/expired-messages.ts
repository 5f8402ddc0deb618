import { z } from 'zod';
import { timeOf, timeOrNull } from '../common/iso-time.ts';
import {
  messagesIn,
  missingOf,
  recordsPaths,
  sinceOf,
  type ExpiredMessages,
  type RecordsPath,
} from '../domain/records/expired-messages.ts';
import { expiredMessagesStream } from '../domain/streams.ts';
import { entity, pageOf, task, type Services } from './task.ts';
import { english } from '../common/words.ts';

const texts = english.tasks['expired-messages'];

const shape = z.object({
  records_id: z.enum(recordsPaths).describe('The kind of records, as its import is called.'),
  missing: z
    .int()
    .describe('How many messages expired before they were read, since the newest confirmation.'),
  since: z.string().meta({ format: 'date-time' }).nullable().describe('When the first of them was found.'),
  partitions: z
    .array(
      z.object({
        topic: z.string(),
        partition: z.int(),
        from: z.string().describe('The first offset that is missing.'),
        until: z.string().describe('The first offset after them.'),
        missing: z.int(),
        found_at: z.string().meta({ format: 'date-time' }),
      }),
    )
    .readonly(),
});

type Item = z.infer<typeof shape>;

const present = (state: ExpiredMessages, records: RecordsPath): Item => {
  const ranges = missingOf(state).filter((range) => range.records === records);
  return {
    records_id: records,
    missing: Number(messagesIn(ranges)),
    since: timeOrNull(sinceOf(ranges)),
    partitions: ranges.map((range) => ({
      topic: range.topic,
      partition: range.partition,
      from: String(range.from),
      until: String(range.until),
      missing: Number(messagesIn([range])),
      found_at: timeOf(range.at),
    })),
  };
};

const pathIn = (id: string): RecordsPath | undefined => recordsPaths.find((path) => path === id);

const show = async ({ commands }: Services, id: string): Promise<Item | null> => {
  const records = pathIn(id);
  return records === undefined ? null : present(await commands.expiredMessages(), records);
};

const confirm = task({
  name: 'confirm',
  ...texts.confirm,
  isFinal: true,
  isUseful: (shown) => shown['missing'] !== 0,
  input: z.object({}),
  run: async ({ commands }, id, _input, context) => {
    const records = pathIn(id);
    if (records === undefined)
      return { ok: false, refusal: 'expired-messages-unknown', message: `there are no records ${id}` };
    const position = await commands.confirmExpired(records, context);
    return { ok: true, text: position === null ? 'Nothing was missing.' : 'Confirmed.', position };
  },
});

/** Messages of the host platform that expired before they were read, by the kind of their records. */
export const expiredMessages = entity({
  name: 'expired-messages',
  noun: 'kind of records',
  plural: 'expired-messages',
  idKey: 'records_id',
  shape,
  example: {
    records_id: 'profiles',
    missing: 25,
    since: '2026-05-03T16:04:31.000Z',
    partitions: [
      {
        topic: 'host.profiles',
        partition: 3,
        from: '17',
        until: '42',
        missing: 25,
        found_at: '2026-05-03T16:04:31.000Z',
      },
    ],
  } satisfies Item,
  filters: z.object({}),
  columns: texts.columns,
  show,
  list: async ({ commands }, _filters, page) => {
    const state = await commands.expiredMessages();
    const all = recordsPaths.map((path) => present(state, path));
    return pageOf(all, ({ records_id: id }) => id, page);
  },
  isId: (text) => pathIn(text) !== undefined,
  find: () => Promise.resolve([]),
  stream: () => expiredMessagesStream,
  work: {
    filters: {},
    count: async ({ commands }) => {
      const state = await commands.expiredMessages();
      return recordsPaths.filter((path) => present(state, path).missing > 0).length;
    },
  },
  tasks: [confirm],
});
