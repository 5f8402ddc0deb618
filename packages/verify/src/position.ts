/** Where an event is in the log. */
export type Position = { readonly commit: bigint; readonly prepare: bigint };

/** A position as `commit/prepare`, two unsigned 64-bit numbers; null for anything else. */
export const parsePosition = (text: string): Position | null => {
  const [, commit, prepare] = /^(0|[1-9]\d{0,19})\/(0|[1-9]\d{0,19})$/.exec(text) ?? [];
  if (commit === undefined || prepare === undefined) return null;
  const position = { commit: BigInt(commit), prepare: BigInt(prepare) };
  return position.commit < 2n ** 64n && position.prepare < 2n ** 64n ? position : null;
};

export const comparePositions = (a: Position, b: Position): number =>
  a.commit === b.commit
    ? Number(a.prepare > b.prepare) - Number(a.prepare < b.prepare)
    : a.commit > b.commit
      ? 1
      : -1;
