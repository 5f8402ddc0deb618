import { type EventStore, EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { memoryStore } from './memory-store.ts';

/**
 * A log in memory whose reads can be answered from an earlier state, as by a deposed leader: that takes no appends, unless
 * they reach the present leader on another way.
 */
export const staleStore = ({ appendsReachLeader = false } = {}) => {
  const log = memoryStore();
  let earlier: ReturnType<typeof memoryStore> | null = null;
  let heals = false;
  const confirmations: boolean[] = [];
  let readsLeft = Infinity;
  const reading = () => {
    if (readsLeft-- <= 0) earlier = null;
    return earlier ?? log;
  };
  const away = () => new EventStoreUnavailable('nothing is acknowledged');
  const store: EventStore = {
    ...log,
    read: (...asked) => reading().read(...asked),
    readEnd: (...asked) => reading().readEnd(...asked),
    readBack: (...asked) => reading().readBack(...asked),
    head: () => reading().head(),
    append: (...asked) => (earlier && !appendsReachLeader ? Promise.reject(away()) : log.append(...asked)),
    confirmLeader() {
      confirmations.push(heals);
      if (heals) earlier = null;
      return earlier ? Promise.reject(away()) : Promise.resolve();
    },
  };
  return {
    store,
    log,
    /** Whether each confirmation of the leader found it. */
    confirmations,
    /**
     * @param confirmed whether a confirmation of the leader finds the present one
     * @param reads how many reads are answered so
     */
    goBackTo(events: number, confirmed: boolean, reads = Infinity) {
      readsLeft = reads;
      earlier = memoryStore({}, log.all().slice(0, events));
      heals = confirmed;
    },
    comeBack: () => void (earlier = null),
  };
};
