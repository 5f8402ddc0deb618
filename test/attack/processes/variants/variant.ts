import type { Excuses } from '../history.ts';
import type { Round } from '../round.ts';
import type { Stage } from '../stage.ts';

/** One way to attack the deactivations of several rounds side by side. */
export type Variant = {
  readonly excuses: () => Excuses;
  /** Deactivates every round under the fault. The clients are at work; each round has ended when this resolves. */
  readonly strike: (stage: Stage, rounds: readonly Round[], random: () => number) => Promise<Struck>;
};

export type Struck = {
  /** Takes back what is still wrong, before the next rounds. */
  readonly recover: () => Promise<void>;
};

/** The attack itself did not come off: not the service's fault, but the run proves nothing. */
export class AttackFailed extends Error {
  override readonly name = 'AttackFailed';
}
