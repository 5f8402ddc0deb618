import { InvalidArgumentError } from 'commander';

/** A parser of option values: what `read` answers null to becomes a usage error with the option's name and what is allowed. */
export const allowing =
  <T>(allowed: string, read: (value: string) => T | null) =>
  (value: string): T => {
    const found = read(value);
    if (found === null) throw new InvalidArgumentError(`Allowed ${allowed}.`);
    return found;
  };

export const matching = (allowed: string, pattern: RegExp) =>
  allowing(allowed, (value) => (pattern.test(value) ? value : null));

const shortText = (text: string, most: number): string | null =>
  text !== '' && text.length <= most && !/\p{Control}|\p{Surrogate}/u.test(text) ? text : null;

/** Anything that was meant as an id: one that is malformed is answered like an unknown one. */
export const parseId = allowing('is an id', (value) => shortText(value, 320));

/** For options that may be repeated or take several values. */
export const collect =
  <T>(parse: (value: string) => T) =>
  (value: string, before: readonly T[] | undefined): readonly T[] => [...(before ?? []), parse(value)];

/** Some of these names, separated by commas. */
export const oneOrMoreOf = (names: readonly string[]) =>
  allowing(`are some of ${names.join(', ')}, separated by commas`, (value) => {
    const given = value.split(',').map((name) => name.trim());
    return given.every((name) => names.includes(name)) ? given : null;
  });

export const parsePort = allowing('is a port: 0 to 65535, where 0 picks a free one', (value) =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : null,
);

/** The reason for an action; it is recorded in the audit log. */
export const parseReason = allowing('is a text of 1 to 500 characters', (value) =>
  shortText(value.trim(), 500),
);

export const oneOf = <const T extends string>(allowed: readonly T[]) =>
  allowing(`are ${allowed.join(', ')}`, (value) => allowed.find((each) => each === value) ?? null);

export const wholeFrom1To = (most: number) =>
  allowing(`is a whole number from 1 to ${most}`, (value) =>
    /^[1-9]\d{0,9}$/.test(value) && Number(value) <= most ? Number(value) : null,
  );

export const parseVersion = wholeFrom1To(2 ** 31 - 1);
