import { InvalidArgumentError } from 'commander';
import type { Position } from '../../eventstore/event-store.ts';
import { parsePosition } from '../../audit/timeline/position-text.ts';
import { normaliseName } from '../../domain/kernel/name.ts';
import { daysProblem, tokenDays } from '../../domain/people/administrator-token.ts';

/** Parsers of option values; an error becomes a usage error with the option's name and the allowed values. */

/** Anything that was meant as an id: one that is malformed is answered like an unknown one. */
export const parseId = (value: string): string => {
  if (value !== '' && value.length <= 200 && !/\p{Control}|\p{Surrogate}/u.test(value)) return value;
  throw new InvalidArgumentError('Allowed is an id.');
};

/** For options that may be repeated or take several values. */
export const collect =
  <T>(parse: (value: string) => T) =>
  (value: string, before: readonly T[] | undefined): readonly T[] => [...(before ?? []), parse(value)];

export const parsePort = (value: string): number => {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : -1;
  if (port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('Allowed is a port: 0 to 65535, where 0 picks a free one.');
};

export const parseDays = (value: string): number => {
  const days = /^\d{1,4}$/.test(value) ? Number(value) : Number.NaN;
  if (daysProblem(days) === null) return days;
  throw new InvalidArgumentError(`Allowed is a whole number from ${tokenDays.least} to ${tokenDays.most}.`);
};

/** An absolute URL; the domain checks whether it fits its purpose. */
export const parseUrl = (value: string): string => {
  if (URL.canParse(value)) return value;
  throw new InvalidArgumentError('Allowed is an absolute URL such as https://addon.example/callback.');
};

export const parseName = (value: string): string => {
  const name = normaliseName(value);
  if (name !== '' && name.length <= 200 && !/\p{Control}|\p{Surrogate}/u.test(name)) return name;
  throw new InvalidArgumentError('Allowed is a text of 1 to 200 characters.');
};

/** The reason for an action; it is recorded in the audit log. */
export const parseReason = (value: string): string => {
  const reason = value.trim();
  if (reason !== '' && reason.length <= 500 && !/\p{Control}|\p{Surrogate}/u.test(reason)) return reason;
  throw new InvalidArgumentError('Allowed is a text of 1 to 500 characters.');
};

export const parsePositionOption = (value: string): Position => {
  const position = parsePosition(value);
  if (position !== null) return position;
  throw new InvalidArgumentError('Allowed is a position in the log, as commit/prepare: 4711/4711.');
};

export const oneOf =
  <const T extends string>(allowed: readonly T[]) =>
  (value: string): T => {
    const found = allowed.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`Allowed are ${allowed.join(', ')}.`);
  };

const wholeFrom1To =
  (most: number) =>
  (value: string): number => {
    const number = /^[1-9]\d{0,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number <= most) return number;
    throw new InvalidArgumentError(`Allowed is a whole number from 1 to ${most}.`);
  };

/** The version of a read model. */
export const parseVersion = wholeFrom1To(2 ** 31 - 1);

export const parseWorkers = wholeFrom1To(8);
