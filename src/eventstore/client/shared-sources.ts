import { comparePositions, type Position } from '../event-store.ts';
import { isInvalidPosition } from './esdb-errors.ts';
import {
  type Arrival,
  eventsPerCheckpoint,
  isFurther,
  positionOf,
  type Source,
} from './subscription-source.ts';

/** A call for events of these types. */
export type TypesCall = { readonly after: Position | null; readonly types: readonly string[] };
export type OpenTypes = (call: TypesCall) => Source | Promise<Source>;

/** How many messages may wait for a slow reader; then it goes on with a call of its own. */
const mostWaiting = 2_000;

const ignore = (): void => undefined;

type Member = Source & {
  readonly types: readonly string[];
  /** Everything up to there was taken, or waits to be taken. */
  last(): Position | null;
  isJoined(): boolean;
  /** From now on `give` is its source. */
  join(): void;
  give(arrivals: readonly Arrival[]): void;
  end(cause: unknown): void;
};

type Group = { readonly atEnd: (member: Member) => void; readonly left: (member: Member) => void };

/**
 * Readers of one log in one process share one call once they have reached its end, so that an event is sent, received
 * and decoded once. Each begins with a call of its own, and goes back to one where it is too slow for the others.
 * @param regroupMs readers that come or leave within this time are one change of the shared call
 */
export const shareSources = (open: OpenTypes, regroupMs = 250): OpenTypes => {
  /** Those that have reached the end of the log, whether they have joined or not. */
  const ready = new Set<Member>();
  let shared: { readonly source: Source; readonly types: string } | null = null;
  let timer: NodeJS.Timeout | null = null;
  let regrouping: Promise<unknown> = Promise.resolve();

  const joined = (): readonly Member[] => [...ready].filter((member) => member.isJoined());
  const regroupSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      regrouping = regrouping.then(regroup).catch(ignore); // without it, each goes on with what it has
    }, regroupMs).unref();
  };
  const regroup = async (): Promise<void> => {
    const members = [...ready];
    if (members.length < (shared ? 1 : 2)) return;
    const types = [...new Set(members.flatMap((member) => member.types))].toSorted();
    if (shared?.types === types.join() && members.every((member) => member.isJoined())) return;
    const source = await open({ after: oldest(members), types });
    const present = members.filter((member) => ready.has(member));
    if (present.length === 0) return source.stop();
    shared?.source.stop();
    shared = { source, types: types.join() };
    for (const member of present) member.join();
    void hand(source);
  };
  const hand = async (source: Source): Promise<void> => {
    for (let arrivals = await source.take(); arrivals; arrivals = await source.take())
      for (const member of ready) member.give(arrivals);
    if (source !== shared?.source) return;
    shared = null;
    // The position is that of another reader: each learns of its own when it resumes.
    const cause = isInvalidPosition(source.ending()) ? undefined : source.ending();
    for (const member of joined()) member.end(cause);
  };
  const group: Group = {
    atEnd: (member) => {
      ready.add(member);
      regroupSoon();
    },
    left: (member) => {
      if (!ready.delete(member) || !shared) return;
      if (joined().length > 0) return regroupSoon();
      shared.source.stop();
      shared = null;
    },
  };
  return async (call) => makeMember(await open(call), call, open, group);
};

const oldest = (members: readonly Member[]): Position | null =>
  members
    .map((member) => member.last())
    .reduce((a, b) => (a === null || b === null ? null : comparePositions(a, b) < 0 ? a : b));

const makeMember = (first: Source, { after, types }: TypesCall, open: OpenTypes, group: Group): Member => {
  const wanted = new Set(types);
  let own: Source | null = first;
  let isJoined = false;
  let last = after;
  let waiting: Arrival[] = [];
  /** Events of other types since its last message: after as many as at the server it gets a checkpoint. */
  let others = 0;
  let ended: { readonly cause: unknown } | null = null;
  let wake: () => void = ignore;

  const noteTaken = (arrivals: readonly Arrival[]): void => {
    for (const arrival of arrivals)
      if (arrival.kind === 'caught-up') group.atEnd(member);
      else if (isFurther(positionOf(arrival), last)) last = positionOf(arrival);
  };
  const leave = (): void => {
    isJoined = false;
    group.left(member);
    wake();
  };
  const end = (cause: unknown): void => {
    ended ??= { cause };
    leave();
  };
  const takeOwn = async (call: Source): Promise<readonly Arrival[] | null> => {
    const arrivals = await call.take();
    if (arrivals) noteTaken(arrivals);
    else if (own) end(own.ending()); // it dropped: where the shared call has taken its place, there is none
    return arrivals;
  };
  const openAgain = async (): Promise<void> => {
    const call = await open({ after: last, types });
    if (ended) call.stop();
    else own = call;
  };
  const member: Member = {
    types,
    last: () => last,
    isJoined: () => isJoined,
    ending: () => ended?.cause,
    async take() {
      for (;;) {
        if (waiting.length > 0) {
          const taken = waiting;
          waiting = [];
          return taken;
        }
        if (ended) return null;
        if (own) {
          const arrivals = await takeOwn(own);
          if (arrivals) return arrivals;
        } else if (isJoined) await new Promise<void>((resolve) => (wake = resolve));
        else await openAgain();
      }
    },
    join() {
      isJoined = true;
      const call = own;
      own = null;
      call?.stop();
    },
    give(arrivals) {
      if (!isJoined) return;
      for (const arrival of arrivals) {
        if (arrival.kind === 'caught-up' || !isFurther(positionOf(arrival), last)) continue;
        last = positionOf(arrival);
        others += 1;
        const isOwn = arrival.kind === 'checkpoint' || wanted.has(arrival.event.type);
        if (!isOwn && others < eventsPerCheckpoint) continue;
        waiting.push(isOwn ? arrival : { kind: 'checkpoint', position: last });
        others = 0;
      }
      if (waiting.length > mostWaiting) leave();
      else if (waiting.length > 0) wake();
    },
    end,
    stop() {
      end(undefined);
      waiting = [];
      own?.stop();
    },
  };
  return member;
};
