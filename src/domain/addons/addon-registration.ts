import { english } from '../../common/words.ts';
import type { GrantType, Registration } from './addon.ts';
import { audienceProblem } from '../access/audience.ts';
import { nameProblem } from '../kernel/name.ts';
import { configurationUrlProblem, redirectUriProblem, responseParameterProblem } from './redirect-uri.ts';
import type { FieldProblem } from '../kernel/decision.ts';

const mostUris = 10;
const none = { redirectUris: [], postLogoutRedirectUris: [] };

/** What is wrong with each field of a registration; empty when valid (AD-01). Registered redirect URIs keep working. */
export const registrationProblems = (
  {
    name,
    redirectUris,
    configurationUrl,
    confidential,
    grantTypes,
    postLogoutRedirectUris,
    audiences,
  }: Omit<Registration, 'addonId' | 'allowedScopes' | 'idTokenAlg'>,
  already: Pick<Registration, 'redirectUris' | 'postLogoutRedirectUris'> = none,
): readonly FieldProblem[] => [
  ...problemOf('name', nameProblem(name)),
  ...redirectUrisProblems(redirectUris, grantTypes, already.redirectUris),
  ...problemOf(
    'configurationUrl',
    configurationUrl === null ? null : configurationUrlProblem(configurationUrl),
  ),
  ...problemOf('grantTypes', grantTypesProblem(grantTypes, confidential)),
  ...listProblems(
    'postLogoutRedirectUris',
    postLogoutRedirectUris,
    uriProblem('sign-out', already.postLogoutRedirectUris),
  ),
  ...audiencesProblems(audiences, confidential),
];

const problemOf = (field: string, message: string | null): readonly FieldProblem[] =>
  message === null ? [] : [{ field, message }];

const listProblems = (
  field: string,
  uris: readonly string[],
  wrongWith: (uri: string) => string | null,
): readonly FieldProblem[] =>
  uris.length > mostUris
    ? problemOf(field, english.problems.tooManyUris(mostUris))
    : uris.flatMap((uri, index) =>
        problemOf(
          `${field}[${index}]`,
          uris.indexOf(uri) < index ? english.problems.listedTwice : wrongWith(uri),
        ),
      );

/** At least one, except for a resource server: no browser is ever redirected to it. */
const redirectUrisProblems = (
  uris: readonly string[],
  grantTypes: readonly GrantType[],
  already: readonly string[],
): readonly FieldProblem[] =>
  uris.length === 0 && grantTypes.length > 0
    ? problemOf('redirectUris', english.problems.noUri)
    : listProblems('redirectUris', uris, uriProblem('authorization', already));

const uriProblem =
  (response: 'authorization' | 'sign-out', already: readonly string[]) =>
  (uri: string): string | null =>
    redirectUriProblem(uri) ?? (already.includes(uri) ? null : responseParameterProblem(uri, response));

const grantTypesProblem = (grantTypes: readonly GrantType[], confidential: boolean): string | null => {
  if (new Set(grantTypes).size < grantTypes.length) return english.problems.grantTypeTwice;
  if (grantTypes.length === 0) return confidential ? null : english.problems.noGrantType;
  return grantTypes.includes('authorization_code') ? null : english.problems.noCode;
};

/** A client that may introspect other add-ons' tokens has to authenticate (IN-01, IN-05). */
const audiencesProblems = (audiences: readonly string[], confidential: boolean): readonly FieldProblem[] =>
  audiences.length > 0 && !confidential
    ? problemOf('audiences', english.problems.audiencesOfPublic)
    : listProblems('audiences', audiences, audienceProblem);
