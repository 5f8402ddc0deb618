import { expect } from 'vitest';

/** Words in capitals stand for values: for given ones, and for those that an answer has where they stand first. */
const word = /[A-Z]+(?:_[A-Z\d]+)+/g;
const isWord = (text: string): boolean => new RegExp(`^${word.source}$`).test(text);

/** Stands in the recipe wherever there are seconds since 1970. */
const anyTime = 1_798_761_600;
const isTime = (value: unknown): boolean =>
  Number.isInteger(value) && Math.abs(Number(value) / anyTime - 1) < 0.3;

export type Script = {
  /** @throws if a word has no value yet */
  fill(text: string): string;
  /** Compares with a written JSON; `["…"]` is any array. */
  compare(actual: unknown, written: string): void;
};

export const makeScript = (given: Readonly<Record<string, string>>): Script => {
  const values = new Map(Object.entries(given));
  const valueOf = (name: string): string => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`${name} has no value yet`);
    return value;
  };
  const fill = (text: string) =>
    text
      .replaceAll(word, valueOf)
      .replaceAll(/base64\((.*)\)/g, (_all, plain: string) => Buffer.from(plain).toString('base64'));

  const learn = (written: string, actual: unknown): void => {
    if (isWord(written) && !values.has(written) && typeof actual === 'string') values.set(written, actual);
  };
  const expected = (written: unknown, actual: unknown): unknown => {
    if (typeof written === 'string') {
      learn(written, actual);
      return fill(written);
    }
    if (Array.isArray(written)) {
      if (written[0] === '…') return expect.any(Array);
      return written.map((each, place) =>
        expected(each, (actual as readonly unknown[] | undefined)?.[place]),
      );
    }
    if (typeof written !== 'object' || written === null) return written;
    const object = (actual ?? {}) as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      Object.entries(written).map(([key, value], place) => {
        learn(key, Object.keys(object)[place]);
        return [fill(key), expected(value, object[fill(key)])];
      }),
    );
  };
  return {
    fill,
    compare: (actual, written) => {
      const timeless: unknown = JSON.parse(JSON.stringify(actual), (_key, value: unknown) =>
        isTime(value) ? anyTime : value,
      );
      expect(timeless).toEqual(expected(JSON.parse(written), actual));
    },
  };
};

/** A request or an answer as the RFCs write them: a first line, headers, an empty line, a body. */
export const parseMessage = (text: string) => {
  const [head = '', ...rest] = text.split('\n\n');
  const [first = '', ...lines] = head.trim().split('\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { first, headers, body: rest.join('\n\n').trim() };
};
