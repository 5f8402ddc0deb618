import type { Position } from '../../eventstore/event-store.ts';

/** The largest value of a half has 20 digits. */
const padded = (half: bigint) => half.toString().padStart(20, '0');

/** An event's position in the log as text with the same sort order (the CloudEvents extension `sequence`). */
export const sequenceOf = ({ commit, prepare }: Position): string => `${padded(commit)}.${padded(prepare)}`;
