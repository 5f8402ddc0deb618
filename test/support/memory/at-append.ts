import type { EventType } from '../../../src/domain/events.ts';
import { AppendOutcomeUnknown } from '../../../src/eventstore/event-store.ts';
import type { MemoryStoreHooks } from './memory-store.ts';

const loseTheAnswer = () => {
  throw new AppendOutcomeUnknown('no word from the log');
};

/** Hooks of a log in memory that act once, at the next append (of this type, if one is named) after they are armed. */
export const atAppend = (moment: 'beforeAppend' | 'afterAppend', type?: EventType) => {
  let armed: (() => unknown) | null = null;
  const hook: MemoryStoreHooks['beforeAppend'] = async (_stream, events) => {
    const act = armed;
    if (!act || (type && !events.some(({ event }) => event.type === type))) return;
    armed = null;
    await act();
  };
  const hooks: MemoryStoreHooks = { [moment]: hook };
  return { hooks, arm: (act: () => unknown = loseTheAnswer) => void (armed = act) };
};

/** To be armed with: the process dies. */
export const crash = () => {
  throw new Error('crashed');
};
