import type { Position } from '../eventstore/event-store.ts';

/** A place in the log as people and scripts see it: the halves are 64-bit, too large for a JSON number. */
export const positionText = ({ commit, prepare }: Position): string => `${commit}/${prepare}`;
