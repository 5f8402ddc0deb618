import type { Position } from '../../../src/eventstore/event-store.ts';

/** The first or the second of the two server processes. */
export type Place = 0 | 1;

/** What an add-on asks with its access token, and what it asks for another pair. */
export const bearerKinds = ['list', 'userinfo', 'introspect', 'grant', 'changes'] as const;
export type BearerCall = (typeof bearerKinds)[number];
export type TokenCall = 'exchange' | 'refresh';

/** A pair of tokens by its place in the log: which grant, and the how-manieth rotation of it. */
export type Issued = { readonly grantId: string; readonly rotation: number };

/** One request of an add-on, as it was seen from outside. */
export type Call = {
  readonly kind: BearerCall | TokenCall;
  readonly place: Place;
  /** Of the activation that the presented code or token was granted under. */
  readonly epoch: number;
  /** Before anything was sent. */
  readonly began: number;
  /** When the head of the answer was there, or the connection was lost. */
  readonly answered: number;
  /** Null: there was no answer. */
  readonly status: number | null;
  /** A page of the list or of its changes, what is known of the user, `active: true`, a pair of tokens. */
  readonly accepted: boolean;
  readonly issued: Issued | null;
};

/** One request of an administrator. */
export type AdminCall = {
  readonly kind: 'activate' | 'deactivate';
  readonly place: Place;
  readonly status: number | null;
  /** What the answer says; null without one. */
  readonly epoch: number | null;
};

/** How an epoch ended. Nothing is said before the first deactivation that was answered with success. */
export type EpochEnd = {
  /** When the first deactivation was sent, answered or not. */
  readonly began: number;
  /** When the first success was there; null until then. */
  readonly answered: number | null;
  /** Of an event that was appended after that answer. */
  readonly marker: Position | null;
};

/** What a fault excuses; without one nothing is excused. */
export type Excuses = {
  /** "Try again" (503). */
  readonly unavailable: boolean;
  /** The instance whose answers may be lost. */
  readonly lostAt: Place | null;
};

/** One activation from its answer to its end and beyond, for one organization and add-on. */
export type RoundHistory = {
  readonly epoch: number;
  /** When the activation's answer was there. */
  readonly activated: number;
  /** Of this epoch and of earlier ones, by epoch. */
  readonly ends: ReadonlyMap<number, EpochEnd>;
  readonly calls: readonly Call[];
  readonly adminCalls: readonly AdminCall[];
  readonly excuses: Excuses;
};
