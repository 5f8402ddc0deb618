import type { Position } from '../../eventstore/event-store.ts';

/** The text form of a position outside the program: two unsigned 64-bit numbers. */
export const positionText = ({ commit, prepare }: Position): string => `${commit}/${prepare}`;

// By itself: the command line's help loads no signature library.
export { parsePosition } from '#verify/position';
