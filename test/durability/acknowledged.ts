import type { Code, Tokens } from './token-requests.ts';

/** One grant as its add-on sees it: every pair that it was answered, in order. */
export type Chain = {
  readonly clientId: string;
  readonly answered: Tokens[];
  /** A refresh with the last pair is under way, or was never answered. */
  asking: boolean;
};

/** A code that its add-on got, and whether it was presented before the service died. */
export type HeldCode = Code & { asked: boolean };

/** Everything that clients were told is done. Nothing of it may be gone after a kill. */
export type Acknowledged = {
  readonly chains: Chain[];
  /** Codes for which no tokens were answered. */
  readonly codes: Set<HeldCode>;
  /** Pairs whose activation was deactivated, and the administrator was told so. */
  readonly dead: Tokens[];
  /** Record id → highest version that the import counted as stored. */
  readonly records: Map<string, number>;
  /** Answers that no client should ever get, and clients that gave up while the service was well. */
  readonly surprises: string[];
};

export const nothingYet = (): Acknowledged => ({
  chains: [],
  codes: new Set(),
  dead: [],
  records: new Map(),
  surprises: [],
});
