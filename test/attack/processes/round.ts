import { type Calls, makeCalls } from './calls.ts';
import type { AdminCall, Call, Excuses, Place, RoundHistory } from './history.ts';
import { type HeldGrant, makeCode, type Pair } from './pair.ts';
import type { Stage } from './stage.ts';

/** One epoch of one pair under attack. */
export type Round = {
  readonly pair: Pair;
  readonly epoch: number;
  readonly calls: Calls;
  readonly grants: Grants;
  readonly random: () => number;
  /** A place by chance; never one that is known to hang. */
  readonly somewhere: () => Place;
  /** Nobody begins anything there any more … */
  readonly avoid: (place: Place) => void;
  readonly isAvoided: (place: Place) => boolean;
  /** … until now. */
  readonly avoidNothing: () => void;
  /** Whether the deactivation has been answered with success, or the run has broken off. */
  readonly isEnded: () => boolean;
  /** Asks once at each of these places, side by side, and marks the first success in the log. */
  readonly deactivate: (...places: readonly Place[]) => Promise<void>;
  /** Asks again and again until there is a success; false when there is none in time. */
  readonly insist: (place: Place) => Promise<boolean>;
  /** Activates once more what is active: nothing happens, but the instance has read the keys and the fence. */
  readonly warm: (place: Place) => Promise<void>;
  /** The next epoch begins, or has begun already. */
  readonly reactivate: (place: Place) => Promise<void>;
  readonly history: (excuses: Excuses) => RoundHistory;
};

/** Two that are used from the beginning, one code for the moment of the deactivation, one for afterwards. */
type Grants = { readonly used: readonly HeldGrant[]; readonly late: HeldGrant; readonly kept: HeldGrant };

const patience = 60_000;

/** Starts where the last one has ended: the pair is active. */
export const beginRound = async (stage: Stage, pair: Pair, random: () => number): Promise<Round> => {
  const noted = { calls: [] as Call[], adminCalls: [] as AdminCall[] };
  const calls = makeCalls(stage, pair, noted);
  const { epoch, since } = pair.active;
  const avoided = new Set<Place>();
  const somewhere = (): Place => {
    const place = random() < 0.5 ? 0 : 1;
    return avoided.has(place) ? other(place) : place;
  };
  const [first, second, late, kept] = [
    await makeCode(stage, pair),
    await makeCode(stage, pair),
    await makeCode(stage, pair),
    await makeCode(stage, pair),
  ];
  const isEnded = () => stage.wire.isClosed() || (pair.ends.get(epoch)?.answered ?? null) !== null;
  const deactivate = async (...places: readonly Place[]): Promise<void> => {
    if (!pair.ends.has(epoch)) pair.ends.set(epoch, { began: stage.clock(), answered: null, marker: null });
    await Promise.all(
      places.map(async (place, index) => {
        const { status, answered } = await calls.deactivate(place, index === 0 ? 0 : 1);
        if (status === 200) await noteEnd(stage, pair, epoch, answered);
      }),
    );
  };
  return {
    pair,
    epoch,
    calls,
    random,
    somewhere,
    grants: { used: [first, second], late, kept },
    avoid: (place) => void avoided.add(place),
    isAvoided: (place) => avoided.has(place),
    avoidNothing: () => avoided.clear(),
    isEnded,
    deactivate,
    async insist(place) {
      const deadline = stage.clock() + patience;
      while (!isEnded() && stage.clock() < deadline) await deactivate(place);
      return isEnded();
    },
    async warm(place) {
      const unnoted = makeCalls(stage, pair, { calls: [], adminCalls: [] });
      await Promise.all([unnoted.activate(place), unnoted.activate(place)]);
    },
    reactivate: (place) => activate(stage, pair, calls, place),
    history: (excuses) => ({ epoch, activated: since, ends: pair.ends, excuses, ...noted }),
  };
};

export const other = (place: Place): Place => (place === 0 ? 1 : 0);

/** The first answer counts. */
export const noteEnd = async (stage: Stage, pair: Pair, epoch: number, answered: number): Promise<void> => {
  const known = pair.ends.get(epoch);
  if (!known) return;
  pair.ends.set(epoch, { ...known, answered: Math.min(answered, known.answered ?? Infinity) });
  if (known.answered !== null) return;
  const marked = await stage.mark();
  const now = pair.ends.get(epoch);
  if (now && marked.ok) pair.ends.set(epoch, { ...now, marker: marked.value.position });
};

/** Until it works; what it was answered meanwhile is for the referee. */
export const activate = async (stage: Stage, pair: Pair, calls: Calls, place: Place): Promise<void> => {
  const deadline = stage.clock() + patience;
  for (;;) {
    const { status, body, answered } = await calls.activate(place);
    if (status === 200) {
      pair.active = { epoch: Number(body?.['epoch']), since: answered };
      return;
    }
    if (stage.clock() > deadline) throw new Error(`an activation is answered with ${status} for too long`);
  }
};
