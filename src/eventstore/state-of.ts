import { type Decider, fold } from '../domain/kernel/decision.ts';
import { isUlid } from '../domain/kernel/ids.ts';
import { type Organization, organizationDecider } from '../domain/organizations/organization.ts';
import { type Account, accountDecider } from '../domain/people/account.ts';
import { type Publisher, publisherDecider } from '../domain/publishers/publisher.ts';
import { accountStream, organizationStream, publisherStream, type StreamName } from '../domain/streams.ts';
import type { EventStore } from './event-store.ts';

// For the commands, and for who describes the tasks of operators without loading the commands.

type Store = Pick<EventStore, 'read'>;

/** The state of an id's stream as the log has it; the initial one also for what is no id. */
const stateNow =
  <State, Event>(streamOf: (id: string) => StreamName, decider: Decider<State, Event>) =>
  async (store: Store, id: string): Promise<State> => {
    if (!isUlid(id)) return decider.initial;
    const { events } = await store.read(streamOf(id));
    return fold(
      decider,
      events.map(({ event }) => event as Event),
    );
  };

export const accountNow: (store: Store, userId: string) => Promise<Account> = stateNow(
  accountStream,
  accountDecider,
);
export const publisherNow: (store: Store, publisherId: string) => Promise<Publisher> = stateNow(
  publisherStream,
  publisherDecider,
);
export const organizationNow: (store: Store, organizationId: string) => Promise<Organization> = stateNow(
  organizationStream,
  organizationDecider,
);
