import type { Position } from '../../eventstore/event-store.ts';
import type { Tx } from '../follow/projection.ts';
import { changeVersion, type Version } from './versions.ts';

export type RebuildProgress = {
  readonly name: string;
  readonly version: number;
  /** Over all runs. */
  readonly events: number;
  readonly eventsPerSecond: number;
  /** From 0 to 1, by the position in the log. */
  readonly share: number;
  /** Null while unknown. */
  readonly secondsLeft: number | null;
};

type Dependencies = {
  readonly version: Version;
  /** To be used between two batches of the version. */
  readonly tx: Tx;
  readonly now: () => number;
  readonly told: ((progress: RebuildProgress) => void) | undefined;
};

const tellEveryMs = 1_000;

/** Counts what is written, and reports it about once a second to the caller and in the version's row. */
export const makeMeter = ({ version, tx, now, told }: Dependencies) => {
  const began = performance.now();
  let toldAt = began;
  let events = 0;
  let from = 0;
  let to = 0;
  let at = 0;

  const seconds = () => (performance.now() - began) / 1000;
  const eventsPerSecond = () => Math.round(events / Math.max(seconds(), 0.001));
  const progress = (): RebuildProgress => {
    const gone = at - from;
    return {
      name: version.name,
      version: version.version,
      events: version.events + events,
      eventsPerSecond: eventsPerSecond(),
      share: to === 0 ? 0 : Math.min(1, at / to),
      secondsLeft: gone > 0 ? Math.ceil(((to - at) / gone) * seconds()) : null,
    };
  };
  const tell = async (): Promise<void> => {
    toldAt = performance.now();
    const present = progress();
    told?.(present);
    await changeVersion(tx, version, {
      events: present.events,
      events_per_second: present.eventsPerSecond,
      seconds_left: present.secondsLeft,
      told_at: now(),
    });
  };
  return {
    aims(position: Position | null, target: Position): void {
      at = toNumber(position);
      from ||= at;
      to = Number(target.commit);
    },
    async wrote(count: number, position: Position | null): Promise<void> {
      events += count;
      at = toNumber(position);
      if (performance.now() - toldAt >= tellEveryMs) await tell();
    },
    /** Reports immediately, before a long step that writes no events. */
    tell,
    async end(): Promise<{ readonly events: number; readonly seconds: number }> {
      await tell();
      return { events: version.events + events, seconds: seconds() };
    },
    eventsPerSecond,
  };
};

const toNumber = (position: Position | null): number => (position === null ? 0 : Number(position.commit));
