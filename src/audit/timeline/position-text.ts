import type { Position } from '../../eventstore/event-store.ts';

/** The text form of a position outside the program: two unsigned 64-bit numbers. */
export const positionText = ({ commit, prepare }: Position): string => `${commit}/${prepare}`;

/** Null for anything that `positionText` does not write. */
export const parsePosition = (text: string): Position | null => {
  const [, commit, prepare] = /^(0|[1-9]\d{0,19})\/(0|[1-9]\d{0,19})$/.exec(text) ?? [];
  if (commit === undefined || prepare === undefined) return null;
  const position = { commit: BigInt(commit), prepare: BigInt(prepare) };
  return position.commit < 2n ** 64n && position.prepare < 2n ** 64n ? position : null;
};
