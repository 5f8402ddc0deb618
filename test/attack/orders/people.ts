import type { EventType } from '../../../src/domain/events.ts';
import { operatorsStream } from '../../../src/domain/streams.ts';
import type { EventStore } from '../../../src/eventstore/event-store.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { valueOf } from '../../support/outcomes.ts';
import { instancesOver, type People } from './instances.ts';
import { prepared } from './prepared.ts';
import { sharedFence } from './shared-fence.ts';
import type { Actor } from './stage.ts';
import type { Setting, World } from './world.ts';
import { newAddon } from '../../support/registering.ts';

const { organizationId, userId } = prepared;

/** Sets things up: nobody else is there to wait for. */
const alone: Actor = { name: 'set-up', turn: (_what, act) => Promise.resolve(act()) };

/** The organization has two administrators, the service two operators; a program has a token of the first administrator, who is a member of a publisher, too. */
const settle = async () => {
  const log = memoryStore({}, prepared.log);
  const fence = sharedFence(null, prepared.rows, () => undefined);
  const firstId = 900_000;
  const { instance } = instancesOver({ log, fence, stage: { enter: () => undefined } }, firstId);
  const commands = instance(alone, 'command');
  const person = async (name: string, roles: readonly 'operator'[] = []) => {
    const who = { email: `${name}@example.com`, name, password: 'correct horse', administratorOf: [], roles };
    return valueOf(await commands.createUser(who)).userId;
  };
  for (const id of [userId, await person('bo')])
    valueOf(await commands.addAdministrator({ organizationId, userId: id }));
  const olga = await person('olga', ['operator']);
  const otto = await person('otto', ['operator']);
  const asked = { userId, organizationId, name: 'program', days: 1, by: userId };
  const { token } = valueOf(await commands.issueAdministratorToken(asked));
  const { publisherId } = valueOf(await commands.createPublisher({ name: 'Doors Ltd' }));
  const { clientId: published } = await newAddon(commands, {
    name: 'Bells',
    redirectUris: ['https://bells.example/callback'],
    configurationUrl: null,
    confidential: true,
  });
  valueOf(await commands.updateAddon({ addonId: published, publisherId }));
  valueOf(await commands.addPublisherMember({ publisherId, userId }));
  return { log: log.all(), olga, otto, token, publisherId, published };
};

export const settled = await settle();

export const settingWith = (broken?: People['broken']): Setting => ({
  log: settled.log,
  people: { operators: [settled.olga, settled.otto], broken },
});

/** A log that accepts decisions about operators at any revision. */
export const decidesTwice = (log: EventStore): EventStore => ({
  ...log,
  append: async (stream, expected, events) =>
    log.append(stream, stream === operatorsStream ? (await log.read(stream)).revision : expected, events),
});

/** The place in the log of the newest event of a type, in streams whose names begin so; -1 if there is none. */
export const placeOf = ({ log }: World, type: EventType, stream = ''): number =>
  log.all().findLastIndex((recorded) => recorded.event.type === type && recorded.stream.startsWith(stream));
