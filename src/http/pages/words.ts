import { withDetails, type AllowedScope, type Scope } from '../../domain/access/scope.ts';
import { en } from '../words/en.ts';
import { makeReader } from '../words/reader.ts';

/** In English and UTC, for pages that are not in the catalogue yet, and for programs. */
export const { dayOf, momentOf } = makeReader();

/** "1 grant", "2 grants", "1,000,000 grants". */
const countOf = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en-GB')} ${n === 1 ? one : many}`;

/** The meaning of scopes, e.g. "profiles, access rights". */
const scopeWords = (scopes: readonly Scope[]): string =>
  scopes.map((scope) => en.scopes[scope].short).join(', ');

/** What an add-on may ask for. */
const allowedWords = (allowed: readonly AllowedScope[]): string => scopeWords(withDetails(allowed));

export const words = { momentOf, countOf, scopeWords, allowedWords };
