/**
 * JSON in the canonical form of RFC 8785: no blanks, members in the order of their names' UTF-16 code units, numbers
 * and strings as ECMAScript writes them. It also accepts what the RFC does not: half of a surrogate pair, which I-JSON
 * forbids, is written as its escape. Without recursion, because a foreign value may be nested as deep as a text is
 * long.
 * @throws TypeError for a value that JSON cannot represent
 */
export const canonicalJson = (value: unknown): string => {
  let text = '';
  const open: Frame[] = [];
  const write = (item: unknown) => {
    if (typeof item === 'object' && item !== null) open.push(enter(item));
    else text += scalar(item);
  };
  write(value);
  for (let frame = open.at(-1); frame; frame = open.at(-1)) {
    if (frame.next === frame.items.length) {
      text += (frame.next === 0 ? frame.opening : '') + frame.closing;
      open.pop();
      continue;
    }
    text += frame.next === 0 ? frame.opening : ',';
    const name = frame.names?.[frame.next];
    if (name !== undefined) text += `${JSON.stringify(name)}:`;
    write(frame.items[frame.next++]);
  }
  return text;
};

/** An array or object that is being written, and which of its items comes next. */
type Frame = {
  readonly opening: string;
  readonly closing: string;
  readonly names: readonly string[] | null;
  readonly items: readonly unknown[];
  next: number;
};

/** A member with the value undefined is left out. */
const enter = (container: object): Frame => {
  if (Array.isArray(container)) return { opening: '[', closing: ']', names: null, items: container, next: 0 };
  const members = container as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).filter((name) => members[name] !== undefined);
  names.sort((one, other) => (one < other ? -1 : 1));
  return { opening: '{', closing: '}', names, items: names.map((name) => members[name]), next: 0 };
};

const scalar = (value: unknown): string => {
  const isJson =
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'string' ||
    (typeof value === 'number' && Number.isFinite(value));
  if (!isJson) throw new TypeError(`JSON has no form for ${typeof value}`);
  return JSON.stringify(value);
};
