import { fold, type Decider } from '../domain/kernel/decision.ts';
import { isUlid } from '../domain/kernel/ids.ts';
import { accountDecider, type Account } from '../domain/people/account.ts';
import { publisherDecider, type Publisher } from '../domain/publishers/publisher.ts';
import { accountStream, publisherStream, type StreamName } from '../domain/streams.ts';
import type { Services } from './task.ts';

/** The state of a stream as the log has it. Without the commands: who only describes the tasks loads none of them. */
export const stateOf = async <State, Event>(
  store: Pick<Services['store'], 'read'>,
  stream: StreamName,
  decider: Decider<State, Event>,
): Promise<State> => {
  const { events } = await store.read(stream);
  return fold(
    decider,
    events.map(({ event }) => event as Event),
  );
};

/** The account of an id; absent also for what is no id. */
export const accountOf = (store: Pick<Services['store'], 'read'>, userId: string): Promise<Account> =>
  isUlid(userId)
    ? stateOf(store, accountStream(userId), accountDecider)
    : Promise.resolve(accountDecider.initial);

/** The publisher of an id; unknown also for what is no id. */
export const publisherOf = (
  store: Pick<Services['store'], 'read'>,
  publisherId: string,
): Promise<Publisher> =>
  isUlid(publisherId)
    ? stateOf(store, publisherStream(publisherId), publisherDecider)
    : Promise.resolve(publisherDecider.initial);
