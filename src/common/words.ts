import { IntlMessageFormat } from 'intl-messageformat';
import en from '../../locales/en.json' with { type: 'json' };

/** Texts of a language as `locales` has them. A language other than English may have some of them. */
export type Texts = { readonly [id: string]: string | null | readonly string[] | Texts };

type Argument<Name> = Name extends `#${string}`
  ? number
  : Name extends `${string}?`
    ? string | number | boolean | null
    : string | number;
type Arguments<Names> = Names extends `${infer First}, ${infer Others}`
  ? readonly [Argument<First>, ...Arguments<Others>]
  : readonly [Argument<Names>];

/**
 * What a program has of texts: the same tree. A text is a string; a message is a function, and the id of a message says what
 * it takes: `held(#grants, since?)` a number and what may be null or a boolean. The text itself is an ICU message, which has
 * these by their names.
 */
export type Messages<T> = {
  readonly [
    Id in keyof T as Id extends `${infer Name}(${string})` ? Name : Id
  ]: Id extends `${string}(${infer Names})`
    ? (...given: Arguments<Names>) => string
    : T[Id] extends string | null | readonly string[]
      ? Readonly<T[Id]>
      : Messages<T[Id]>;
};

export const isText = (text: Texts[string]): text is string | null | readonly string[] =>
  typeof text === 'string' || text === null || Array.isArray(text);

/** Parsing takes some hundred times as long as formatting: each message is parsed when it is first needed. */
const messageOf = (text: string, locale: string, names: readonly string[]) => {
  let parsed: IntlMessageFormat | undefined;
  const format = (...given: readonly unknown[]): string => {
    parsed ??= new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
    const parts = parsed.formatToParts(Object.fromEntries(names.map((name, index) => [name, given[index]])));
    return parts.map(({ value }) => String(value)).join('');
  };
  return Object.assign(format, { takes: names });
};

export const argumentsIn = (id: string): readonly string[] | null =>
  /\((.*)\)$/.exec(id)?.[1]?.replaceAll(/[#?]/g, '').split(', ') ?? null;

/** `held` of `held(#grants)`. */
export const nameOf = (id: string): string => id.replace(/\(.*/, '');

/** Texts of a language, in English where it has none. */
export const messagesOf = <const T extends Texts>(
  english: T,
  own: Texts = english,
  locale = own['locale'] as string,
): Messages<T> =>
  Object.fromEntries(
    Object.entries<Texts[string]>({ ...english, ...own }).map(([id, text]) => {
      const names = argumentsIn(id);
      if (names) return [nameOf(id), messageOf(text as string, id in own ? locale : 'en-GB', names)];
      const group = (of: Texts) => (of[id] ?? {}) as Texts;
      return [id, isText(text) ? text : (messagesOf(group(english), group(own), locale) as object)];
    }),
  ) as Messages<T>;

/** Every text of the pages and mails, in one language. Names in it are marked by the caller (`markName`), so that a page isolates them. */
export type Words = Messages<typeof en>;

/** A language out of its file in `locales`. */
export const wordsOf = (own: Texts): Words => messagesOf(en, own);

export const english: Words = wordsOf(en);
