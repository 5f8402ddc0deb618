import { randomUUID } from 'node:crypto';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { Fence } from '../../domain/fence/fence.ts';
import { type Outage, outageWithin } from '../../domain/access/outage.ts';
import {
  AppendOutcomeUnknown,
  type EventStore,
  EventStoreUnavailable,
  PersonalDataUnavailable,
} from '../../eventstore/event-store.ts';
import type { Outages } from '../access/dependencies.ts';

type Dependencies = {
  readonly now: () => Instant;
  /** Milliseconds of a clock that is never set: how long something took. */
  readonly elapsed?: () => number;
  readonly table: {
    keep(id: string, outage: Outage): Promise<void>;
    endedAfter(moment: Instant): Promise<readonly Outage[]>;
  };
  readonly logger: { info(context: object, message: string): void };
};

/** `reachedAt` is of the clock that is never set. */
type Part = { reachedAt: number; isAway: boolean };
type Kept = { readonly id: string; began: Instant; ended: Instant; isStored: boolean };
/** An outage that lasts: what it is recorded in, and its beginning by both clocks. */
type Open = { readonly kept: Kept; readonly began: Instant; readonly since: number };

/** The interval of probes, and the duration above which an answered call counts as an outage; milliseconds. */
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
 * Outages of both servers, by this instance's calls: from the last answered call before to the first after. Slower than two seconds is one,
 * and overlapping ones are one.
 */
export const makeOutageWatch = ({
  now,
  table,
  logger,
  elapsed = () => performance.now(),
}: Dependencies): OutageWatch => {
  const parts: Readonly<Record<'store' | 'database', Part>> = {
    store: { reachedAt: elapsed(), isAway: false },
    database: { reachedAt: elapsed(), isAway: false },
  };
  let own: Kept[] = [];
  let open: Open | null = null;
  const add = (began: Instant, ended: Instant): Kept => {
    const recent = own.filter((each) => each.ended > ended - remembered);
    const same = recent.filter((each) => each.began <= ended && each.ended >= began);
    const kept = same.find((each) => each === open?.kept) ??
      same[0] ?? { id: randomUUID(), began, ended, isStored: false };
    kept.began = Math.min(began, ...same.map((each) => each.began));
    kept.ended = Math.max(ended, ...same.map((each) => each.ended));
    kept.isStored = false;
    own = [...recent.filter((each) => !same.includes(each)), kept];
    return kept;
  };
  const lasted = (duration: number): readonly [Instant, Instant] => [now() - Math.round(duration), now()];
  const failed = (part: Part) => {
    part.isAway = true;
    if (open) return;
    const [began, ended] = lasted(elapsed() - part.reachedAt);
    open = { kept: add(began, ended), began, since: part.reachedAt };
  };
  const lasting = () => {
    if (open) add(open.began, open.began + Math.round(elapsed() - open.since));
  };
  const answered = (part: Part, started: number) => {
    const ended = elapsed();
    if (!part.isAway && ended - started > slow) add(...lasted(ended - started));
    part.isAway = false;
    part.reachedAt = ended;
    if (!open || Object.values(parts).some(({ isAway }) => isAway)) return;
    lasting();
    const milliseconds = Math.round(ended - open.since);
    logger.info({ milliseconds }, 'event store and database can be reached again');
    open = null;
  };
  const watched = async <T>(
    part: Part,
    isAway: (error: unknown) => boolean,
    call: () => Promise<T>,
  ): Promise<T> => {
    const started = elapsed();
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
  const tell = async () => {
    lasting();
    for (const outage of own.filter((each) => !each.isStored)) {
      outage.isStored = true; // before the call: the outage may grow meanwhile
      await table.keep(outage.id, { began: outage.began, ended: outage.ended }).catch((error: unknown) => {
        outage.isStored = false;
        throw error;
      });
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
