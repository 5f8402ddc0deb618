import type { Position } from '../../eventstore/event-store.ts';

/** The largest half has 20 digits. */
const padded = (half: bigint) => half.toString().padStart(20, '0');

/** An event's place in the log as text that sorts as places do (the CloudEvents extension `sequence`). */
export const sequenceOf = ({ commit, prepare }: Position): string => `${padded(commit)}.${padded(prepare)}`;
