import { randomUUID } from 'node:crypto';
import type { Instant } from '../domain/decision.ts';
import type { Fence } from '../domain/fence.ts';
import { type Outage, outageWithin } from '../domain/outage.ts';
import {
  AppendOutcomeUnknown,
  type EventStore,
  EventStoreUnavailable,
  PersonalDataUnavailable,
} from '../eventstore/event-store.ts';
import type { Outages } from './outages.ts';

type Dependencies = {
  readonly now: () => Instant;
  /** The table in which all instances record their outages. */
  readonly table: {
    keep(id: string, outage: Outage): Promise<void>;
    endedAfter(moment: Instant): Promise<readonly Outage[]>;
  };
  readonly logger: { info(context: object, message: string): void };
};

type Part = { reachedAt: Instant; isAway: boolean };
type Kept = { readonly id: string; readonly began: Instant; ended: Instant; isStored: boolean };

/**
 * The interval between two probes of both servers, and the duration above which an answered call counts as an outage;
 * milliseconds.
 */
const every = 1_000;
const slow = 2_000;
const remembered = 86_400_000;

export type OutageWatch = Outages & {
  /** The same store; its calls also show whether the event store can be reached. */
  watchStore<S extends EventStore>(store: S): S;
  watchFence(fence: Fence): Fence;
  /** Probes both servers every second, so that an outage is detected without requests, and its end at once. */
  start(probes: Readonly<Record<'store' | 'database', () => Promise<unknown>>>): { stop(): Promise<void> };
};

/**
 * Detects from its own calls when this instance cannot reach the event store or the database. An outage begins with the
 * last answered call before it, and ends with the first answered one after it. A call that was answered after more than
 * two seconds counts as an outage, too.
 */
export const makeOutageWatch = ({ now, table, logger }: Dependencies): OutageWatch => {
  const parts: Readonly<Record<'store' | 'database', Part>> = {
    store: { reachedAt: now(), isAway: false },
    database: { reachedAt: now(), isAway: false },
  };
  let own: Kept[] = [];
  let open: Kept | null = null;
  const add = (began: Instant, ended: Instant): Kept => {
    const outage = { id: randomUUID(), began, ended, isStored: false };
    own = [...own.filter((each) => each.ended > ended - remembered), outage];
    return outage;
  };
  const failed = (part: Part) => {
    part.isAway = true;
    open ??= add(part.reachedAt, now());
  };
  const answered = (part: Part, started: Instant) => {
    const ended = now();
    if (!part.isAway && ended - started > slow) add(started, ended);
    part.isAway = false;
    part.reachedAt = ended;
    if (!open || Object.values(parts).some(({ isAway }) => isAway)) return;
    open.ended = ended;
    open.isStored = false;
    logger.info({ milliseconds: ended - open.began }, 'event store and database are reached again');
    open = null;
  };
  const watched = async <T>(
    part: Part,
    isAway: (error: unknown) => boolean,
    call: () => Promise<T>,
  ): Promise<T> => {
    const started = now();
    try {
      const result = await call();
      answered(part, started);
      return result;
    } catch (error) {
      if (isAway(error)) failed(part);
      throw error;
    }
  };
  const inStore = <T>(call: () => Promise<T>) => watched(parts.store, meansNoStore, call);
  const inDatabase = <T>(call: () => Promise<T>) => watched(parts.database, () => true, call);
  const lasting = () => {
    if (open) open.ended = now();
  };
  const tell = async () => {
    lasting();
    for (const outage of own.filter((each) => each === open || !each.isStored)) {
      await table.keep(outage.id, { began: outage.began, ended: outage.ended });
      outage.isStored = true;
    }
  };
  return {
    watchStore: (store) => ({
      ...store,
      append: (...append) => inStore(() => store.append(...append)),
      readEnd: (...part) => inStore(() => store.readEnd(...part)),
      readBack: (...part) => inStore(() => store.readBack(...part)),
    }),
    watchFence: (fence) => ({
      read: (subjects) => inDatabase(() => fence.read(subjects)),
      write: (rows) => inDatabase(() => fence.write(rows)),
    }),
    async within(from, until) {
      lasting();
      return outageWithin([...own, ...(await table.endedAfter(from))], from, until);
    },
    start({ store, database }) {
      let isBusy = false;
      const look = async () => {
        if (isBusy) return;
        isBusy = true;
        await Promise.allSettled([inStore(store), inDatabase(database)]);
        await tell().catch(ignore); // the database is not available: tried again after the next probe
        isBusy = false;
      };
      const timer = setInterval(() => void look(), every).unref();
      return { stop: () => Promise.resolve(clearInterval(timer)) };
    },
  };
};

const ignore = (): void => undefined;

const meansNoStore = (error: unknown): boolean =>
  error instanceof AppendOutcomeUnknown ||
  (error instanceof EventStoreUnavailable && !(error instanceof PersonalDataUnavailable));
