import { type EventType, ownedTypes } from '../../domain/events.ts';
import { createHash } from 'node:crypto';

/**
 * The numbers by which `history_events` stores the types of events of grants and sessions. A number is never used for
 * another type: rows keep it. Events of a type without a number are stored in `history_references`, at
 * four times the size.
 */
const numbers: Partial<Record<EventType, number>> = {
  AuthorizationCodeIssued: 1,
  AuthorizationCodeRedeemed: 2,
  CodeExchangeRejected: 3,
  AuthorizationCodeReplayed: 4,
  TokensRefreshed: 5,
  TokensWithheld: 6,
  RefreshRejected: 7,
  RefreshTokenReused: 8,
  AccessTokenRevoked: 9,
  GrantRevoked: 10,
  SessionStarted: 11,
  SessionEnded: 12,
};

const types = new Map(Object.entries(numbers).map(([type, number]) => [number, type as EventType]));

/** Null for event types that are not stored in `history_events`. */
export const numberOfType = (type: EventType): number | null =>
  ownedTypes.has(type) ? (numbers[type] ?? null) : null;

/** Null for a number that only a newer version knows. */
export const typeOfNumber = (number: number): EventType | null => types.get(number) ?? null;

/** The first eight bytes of SHA-256, as PostgreSQL's bigint. Two ids may have the same key: after a search by key, compare the ids. */
export const historyKey = (id: string): bigint =>
  createHash('sha256').update(id, 'utf8').digest().readBigInt64BE(0);
