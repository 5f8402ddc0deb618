import type { Position } from '../../eventstore/event-store.ts';

/** The text form of a position outside the program: two unsigned 64-bit numbers. */
export const positionText = ({ commit, prepare }: Position): string => `${commit}/${prepare}`;

export { parsePosition } from '@grantbook/verify';
