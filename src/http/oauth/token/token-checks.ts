import { grantTypes } from '../../../domain/addons/events.ts';
import type { SignalScope } from '../../../domain/access/addon-token.ts';
import { signalScopes } from '../../../domain/access/events.ts';
import { ownApi } from '../../../domain/access/audience.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { isScope, isScopeList } from '../../../domain/access/scope.ts';
import { singleNamesOf } from '../../contracts/parameters.ts';
import { clientCredentialsForm, exchangeForm, refreshForm } from '../../contracts/token-parameters.ts';
import { isRepeated, one, type Params } from '../../requests/params.ts';
import { isTarget, resourcesOf } from './resources.ts';
import { invalidRequest, unsupportedGrantType, type TokenRefusal } from './token-answers.ts';

/** Input of the checks. `addon` is null until the client has authenticated. */
type Checked = {
  /** Query string and form as one (S1). */
  readonly params: Params;
  readonly query: Params;
  readonly addon: Addon | null;
  readonly baseUrl: string;
};

/** Every confidential add-on may use `client_credentials`, without being registered for it (SG-02). */
export const offeredGrantTypes = [...grantTypes, 'client_credentials'] as const;
export type OfferedGrantType = (typeof offeredGrantTypes)[number];

type TokenCheck = { readonly rule: string; readonly find: (checked: Checked) => TokenRefusal | null };

/** `request` runs before client authentication, `client` after it, then the checks of the grant type. */
type Stage = 'request' | 'client' | OfferedGrantType;

/** All supported parameters that may occur only once. */
export const singleTokenParameters = singleNamesOf(exchangeForm, refreshForm, clientCredentialsForm);

const isMissing = (params: Params, name: (typeof singleTokenParameters)[number]): boolean =>
  one(params, name) === undefined;

const required = (rule: string, name: (typeof singleTokenParameters)[number]): TokenCheck => ({
  rule,
  find: ({ params }) =>
    isMissing(params, name) ? invalidRequest(`${name} is missing`, 'parameter-missing') : null,
});

/** May be repeated (RFC 8707 §2.2); the grant decides which ones are allowed. */
const targets: TokenCheck = {
  rule: 'RT-15',
  find: ({ params }) =>
    (params.get('resource') ?? []).every((resource) => resource === '' || isTarget(resource))
      ? null
      : {
          error: 'invalid_target',
          description: 'resource must be an absolute URI without a fragment',
          reason: 'resource-malformed',
        },
};

/** A secret that everybody can read proves nothing, so nobody can take a token of its own for it. */
const publicClient: TokenRefusal = {
  error: 'unauthorized_client',
  description: 'only a confidential add-on may use client_credentials',
  reason: 'client-is-public',
};

const wellFormedScope = (rule: string): TokenCheck => ({
  rule,
  find: ({ params }) =>
    isScopeList(one(params, 'scope') ?? '')
      ? null
      : {
          error: 'invalid_scope',
          description: 'scope must be a space-delimited list of scope tokens',
          reason: 'scope-malformed',
        },
});

/** In order: each check runs only after all earlier ones have passed. */
export const tokenChecks: Readonly<Record<Stage, readonly TokenCheck[]>> = {
  request: [
    {
      rule: 'S1',
      find: ({ query }) =>
        query.has('client_secret')
          ? invalidRequest('client_secret must not be in the query string', 'secret-in-query')
          : null,
    },
    {
      rule: 'G-04',
      find: ({ params }) => {
        const repeated = singleTokenParameters.find((name) => isRepeated(params, name));
        return repeated ? invalidRequest(`${repeated} was sent more than once`, 'parameter-repeated') : null;
      },
    },
    required('TK-04', 'grant_type'),
    {
      rule: 'TK-04',
      find: ({ params }) => (grantTypeOf(params) ? null : unsupportedGrantType),
    },
  ],
  client: [
    {
      rule: 'TK-04',
      find: ({ params, addon }) => {
        const asked = grantTypeOf(params);
        if (asked === 'client_credentials' && addon?.secretIds.length === 0) return publicClient;
        return asked === 'client_credentials' || (asked && addon?.grantTypes.includes(asked))
          ? null
          : {
              error: 'unauthorized_client',
              description: 'this add-on is not registered for this grant_type',
              reason: 'grant-type-not-registered',
            };
      },
    },
  ],
  authorization_code: [
    required('TC-01', 'code'),
    required('TC-01', 'redirect_uri'),
    {
      // One code for every failed proof, including a missing one.
      rule: 'TC-02',
      find: ({ params }) =>
        isMissing(params, 'code_verifier')
          ? { error: 'invalid_grant', description: 'code_verifier is missing', reason: 'verifier-missing' }
          : null,
    },
    targets,
  ],
  refresh_token: [
    required('RT-01', 'refresh_token'),
    wellFormedScope('RT-10'),
    {
      // An unknown scope cannot have been granted; the grant decides on the others.
      rule: 'RT-10',
      find: ({ params }) =>
        namedScopes(params).every(isScope)
          ? null
          : {
              error: 'invalid_scope',
              description: 'scope exceeds what was granted',
              reason: 'scope-too-wide',
            },
    },
    targets,
  ],
  client_credentials: [
    wellFormedScope('SG-02'),
    {
      rule: 'SG-02',
      find: ({ params }) =>
        namedScopes(params).every(isSignalScope)
          ? null
          : {
              error: 'invalid_scope',
              description: `scope may contain only ${signalScopes.join(' and ')} with client_credentials`,
              reason: 'scope-not-allowed',
            },
    },
    targets,
    {
      rule: 'RFC 8707',
      find: ({ params, baseUrl }) =>
        resourcesOf(params, baseUrl).every((resource) => resource === ownApi)
          ? null
          : {
              error: 'invalid_target',
              description: 'with client_credentials, resource may name only this API',
              reason: 'resource-not-allowed',
            },
    },
  ],
};

export const firstFinding = (stage: Stage, checked: Checked): TokenRefusal | null => {
  for (const { find } of tokenChecks[stage]) {
    const finding = find(checked);
    if (finding) return finding;
  }
  return null;
};

export const grantTypeOf = (params: Params): OfferedGrantType | undefined =>
  offeredGrantTypes.find((type) => type === one(params, 'grant_type'));

/** The values of `scope`; none when it was not sent. */
export const namedScopes = (params: Params): readonly string[] =>
  (one(params, 'scope') ?? '').split(' ').filter((scope) => scope !== '');

const isSignalScope = (scope: string): scope is SignalScope =>
  (signalScopes as readonly string[]).includes(scope);

/** What a token of the add-on itself is asked for; everything that it may open if the request names nothing. */
export const namedSignalScopes = (params: Params): readonly SignalScope[] => {
  const named = namedScopes(params);
  return named.length === 0 ? signalScopes : signalScopes.filter((scope) => named.includes(scope));
};
