import { english } from '../../common/words.ts';
import type { Instant } from './decision.ts';

/** Our own ids: add-ons, accounts, organizations, grants, sessions. */
const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether a string has the form of our own ids. Any other string is unknown, without a look into the log. */
export const isUlid = (value: string): boolean => ulid.test(value);

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The first ten characters of the ids that were made at a time, which are the time in base 32. */
export const beginningOf = (time: Instant): string =>
  Array.from({ length: 10 }, (_, place) => digits[Math.floor(time / 32 ** (9 - place)) % 32]).join('');

export const timeOfUlid = (id: string): Instant =>
  Array.from(id.slice(0, 10)).reduce((time, digit) => time * 32 + digits.indexOf(digit), 0);

/** An id of ours in what others send. It has no dot: the first one ends the organization's id in names and keys. */
export const ownId = {
  pattern: '^[A-Za-z0-9_]{1,64}$',
  allowed: english.allowed.characters(1, 64, 'A–Z a–z 0–9 _'),
};

/** The host platform's id of a record (ADR 85). */
export const recordId = {
  pattern: '^[A-Za-z0-9._~:@+/=-]{1,128}$',
  allowed: english.allowed.characters(1, 128, 'A–Z a–z 0–9 . _ ~ : @ + / = -'),
};

const [own, record] = [new RegExp(ownId.pattern), new RegExp(recordId.pattern)];

/** Whether a string may be the id of an organization or an account; the log knows whether there is one. */
export const isOwnId = (value: string): boolean => own.test(value);

/** Whether a string has the form of a record id of the host platform. */
export const isRecordId = (value: string): boolean => record.test(value);
