import { isIdentityScope, type Scope } from '../../domain/access/scope.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import type { Reader } from './reader.ts';

/** Whose data scopes open (PG-16). */
export type Whose = {
  /** The reader, or somebody of this name; null: a user who is not named. */
  readonly person: 'reader' | { readonly name: string } | null;
  /** The records are those of an organization. */
  readonly ofOrganization?: boolean;
};

/** What scopes open, in words that say whose it is: "the name and profile of Ada Ahoi". Names in it are marked. */
export const access = (
  reader: Reader,
  scopes: readonly Scope[],
  { person, ofOrganization = false }: Whose,
): string => {
  const { of, ofUser } = reader.words.scopes;
  const isOfPerson = (scope: Scope) => isIdentityScope(scope) || (person === 'reader' && !ofOrganization);
  const ofPerson = scopes.filter(isOfPerson);
  const rest = scopes
    .filter((scope) => !isOfPerson(scope))
    .map((scope) => reader.scopes[scope][ofOrganization ? 'ofOrganization' : 'short']);
  if (person === 'reader')
    return [...ofPerson.map((scope) => reader.scopes[scope].yours), ...rest].join(', ');
  if (ofPerson.length === 0) return rest.join(', ');
  const what = reader.list(ofPerson.map((scope) => reader.scopes[scope].short));
  return [person === null ? ofUser(what) : of(what, markName(person.name)), ...rest].join(', ');
};

/** The same in a list, whose rows say whose it is: "name, profiles". */
export const accessInShort = ({ scopes: words }: Reader, scopes: readonly Scope[]): string =>
  scopes.map((scope) => words[scope].short).join(', ');
