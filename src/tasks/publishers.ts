import { z } from 'zod';
import { isUlid } from '../domain/kernel/ids.ts';
import { membersOf } from '../domain/publishers/publisher.ts';
import { publisherStream } from '../domain/streams.ts';
import { nameField, text } from './fields.ts';
import { named } from './named.ts';
import { unknownThing } from './outcomes.ts';
import { entity, sortedBy, task, type Services, type TaskOutcome } from './task.ts';
import { publisherNow } from '../eventstore/state-of.ts';
import { idOf, nameOf } from './answer-fields.ts';
import { english } from '../common/words.ts';

const { publisher: texts } = english.tasks;

const shape = z.object({
  publisher_id: z.string(),
  name: nameOf(),
  members: z.array(idOf('user')).readonly().describe('Their user_id.'),
  addons: z.array(idOf('addon')).readonly().describe('The client_id of each; at most 1000.'),
});

export type PublisherItem = z.infer<typeof shape>;

/** From the log; which add-ons it has, the read models say. */
const show = async (
  { store, readModels }: Pick<Services, 'store' | 'readModels'>,
  publisherId: string,
): Promise<PublisherItem | null> => {
  if (!isUlid(publisherId)) return null;
  const [publisher, addons] = await Promise.all([
    publisherNow(store, publisherId),
    readModels.addonsOfPublisher(publisherId),
  ]);
  if (publisher.status === 'unknown') return null;
  return {
    publisher_id: publisherId,
    name: publisher.name,
    members: membersOf(publisher),
    addons,
  };
};

const filters = z.object({
  search: text(texts.filters.search).optional(),
  sort: sortedBy('created_at', 'name'),
});

const name = nameField(texts.fields.name);

const create = task({
  name: 'create',
  ...texts.create,
  at: { method: 'POST', path: '' },
  command: { prints: ['publisher_id'] },
  isCreating: true,
  input: z.object({ name }),
  run: async ({ commands }, _id, { name }, context) => {
    const outcome = await commands.createPublisher({ name }, context);
    if (!outcome.ok) return { ...outcome, message: 'the publisher cannot be created like this' };
    const { publisherId } = outcome.value;
    return {
      ok: true,
      text: `Created "${name}" with publisher_id ${publisherId}.`,
      position: null,
      id: publisherId,
    };
  },
});

const rename = task({
  name: 'rename',
  ...texts.rename,
  input: z.object({ name }),
  isProperty: true,
  run: async ({ commands, readModels, settle }, publisherId, { name }, context): Promise<TaskOutcome> => {
    const outcome = await commands.renamePublisher({ publisherId, name }, context);
    if (!outcome.ok)
      return outcome.refusal === 'publisher-unknown'
        ? unknownThing({ name: 'publisher' }, publisherId)
        : { ...outcome, message: 'the publisher cannot have this name' };
    let { changed, position } = outcome.value;
    await settle();
    // Also where the name was so before: it completes what was interrupted.
    for (const addonId of await readModels.addonsOfPublishers([publisherId], {
      after: null,
      limit: 10_000,
    })) {
      const named = await commands.nameAfterPublisher({ addonId, publisherId }, context);
      if (named !== null) [changed, position] = [true, named];
    }
    return { ok: true, text: changed ? `Renamed to "${name}".` : 'It has this name already.', position };
  },
});

/** Who offers add-ons, and who looks after them (AP-10). Members are given and removed as roles of users. */
export const publishers = entity({
  name: 'publisher',
  plural: 'publishers',
  idKey: 'publisher_id',
  shape,
  example: {
    publisher_id: '01JD4M6P8R0T2V4X6Z8B0D2F4H',
    name: 'Doors Ltd',
    members: ['01JD0Z9X7V5T3R1P9N7L5K3J1H'],
    addons: ['01JD2C4Q6S8V0X2Z4B6D8F0H2K'],
  } satisfies PublisherItem,
  filters,
  columns: texts.columns,
  show,
  list: async (services, { search, sort }, page) => {
    const { rows, ...listed } = await services.readModels.publisherIds(search ?? null, { ...page, sort });
    const items = await Promise.all(rows.map(({ id }) => show(services, id)));
    return { items: items.filter((item) => item !== null), ...listed };
  },
  isId: isUlid,
  find: (services, text) => named(services, 'publisher', text, show),
  stream: publisherStream,
  tasks: [rename],
  change: rename.run,
  making: [create],
});
