import { english } from '../../common/words.ts';
import { folded, hiddenProblem } from '../kernel/name.ts';

/** RFC 5321 §4.5.3.1.3 allows 254 octets for an address in a path. */
const maxLength = 254;
const address =
  /^[^\s@"(),:;<>[\]\\\p{Cc}\p{Cs}]+@[^\s@"(),:;<>[\]\\\p{Cc}\p{Cs}]+\.[^\s@"(),:;<>[\]\\\p{Cc}\p{Cs}.]+$/u;

/**
 * The only spelling under which an address is claimed: trimmed, NFC, all lower case. Mailboxes that differ only by case
 * do not exist in practice, and treating them as two people would let one impersonate the other.
 */
export const normaliseEmail = (email: string): string => email.trim().toLowerCase().normalize('NFC');

/** As many of them as are stored. */
const mostParts = 16;

/** By their beginnings an address is found: the whole, its domain, and what follows from any other word of it. Stored as `folded` is. */
export const addressPartsOf = (email: string): readonly string[] => {
  const text = folded(email);
  const at = text.lastIndexOf('@');
  const starts = [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index }) => index);
  const ofDomain = starts.filter((start) => start > at && text.includes('.', start));
  const local = starts.filter((start) => start > 0 && start < at);
  return [0, at, ...ofDomain, ...local].slice(0, mostParts).map((start) => text.slice(start));
};

/**
 * What is wrong with a normalised address, or null: people recognize accounts by it, so every character can be seen, as in
 * a name. It does not check whether the address receives mail.
 */
export const emailProblem = (email: string): string | null => {
  if (email === '') return english.problems.empty;
  if (email.length > maxLength) return english.problems.tooLong(maxLength);
  return address.test(email) ? hiddenProblem(email) : english.problems.email;
};
