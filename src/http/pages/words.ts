import { isUserId } from '../../domain/kernel/actor.ts';
import { withDetails, type AllowedScope, type Scope } from '../../domain/access/scope.ts';
import { en } from '../words/en.ts';
import { makeReader } from '../words/reader.ts';

/** In English and UTC, for pages that are not in the catalogue yet, and for programs. */
export const { dayOf, momentOf } = makeReader();

/** For pages that are not in the catalogue yet. */
export const english = (now?: number) => makeReader(en, null, now);

/** "1 grant", "2 grants", "1,000,000 grants". */
const countOf = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en-GB')} ${n === 1 ? one : many}`;

/** The meaning of scopes, e.g. "profiles, access rights". */
const scopeWords = (scopes: readonly Scope[]): string =>
  scopes.map((scope) => en.scopes[scope].short).join(', ');

/** The name of the person who acted, if the account is known. */
const actorOf = (by: string, names: ReadonlyMap<string, string>): string =>
  names.get(by) ?? (isUserId(by) ? by : 'the operator');

/** The host to which an administrator is sent after activating, as the browser's address bar shows it. */
const hostOf = (configurationUrl: string): string => new URL(configurationUrl).host || configurationUrl;

/** What an add-on may ask for. */
const allowedWords = (allowed: readonly AllowedScope[]): string => scopeWords(withDetails(allowed));

export const words = { momentOf, countOf, scopeWords, allowedWords, actorOf, hostOf };
