import { isCodeChallenge } from '../../../domain/access/pkce.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { parsePrompt } from '../../../domain/access/prompt.ts';
import { readSelector } from '../../../domain/organizations/organization-selector.ts';
import { isRegisteredRedirectUri } from '../../../domain/addons/redirect-uri.ts';
import { parseScope, type ScopeRefusal } from '../../../domain/access/scope.ts';
import { authorizeParameters } from '../../contracts/authorize-parameters.ts';
import { singleNamesOf } from '../../contracts/parameters.ts';
import { isRepeated, one, type Params } from '../../requests/params.ts';
import type { RefusalReason } from '../../limits/refusal-reasons.ts';
import type { AuthorizationError } from './authorization-request.ts';
import { foreignIn, isTarget, resourcesOf } from '../token/resources.ts';

/** Input of the checks. `addon` is null when `client_id` is missing, repeated or unknown. */
export type Checked = {
  readonly params: Params;
  readonly addon: Addon | null;
  readonly hint: IdTokenHint | null;
  readonly baseUrl: string;
};

/** The user of `id_token_hint`; null when it is no id_token of ours for this add-on. */
export type IdTokenHint = { readonly userId: string | null };

export type Finding = {
  readonly error: AuthorizationError;
  /** Fixed text in the alphabet of RFC 6749 §A.8: never a value that was sent. */
  readonly description: string;
  readonly reason: RefusalReason;
  readonly by?: 'fragment';
};

export type Check = {
  readonly rule: string;
  /** `page` until client and redirect URI are trusted, `redirect` from then on. */
  readonly to: 'page' | 'redirect';
  readonly find: (checked: Checked) => Finding | null;
};

const invalid = (description: string, reason: RefusalReason): Finding => ({
  error: 'invalid_request',
  description,
  reason,
});
/** In characters, for any one parameter. */
export const longest = 4096;

/** In bytes, for all parameters that a page's form carries along, signed; addresses and headers hold at most 16 KiB. */
const mostCarried = 8_000;

const carriedBytes = (params: Params): number => {
  const repeated = ['organization', 'resource'].flatMap((name) => params.get(name) ?? []);
  const single = ['redirect_uri', 'state', 'nonce'].map((name) => one(params, name));
  return Buffer.byteLength(JSON.stringify([...single, ...repeated]));
};

/** Those that may occur only once (`resource` may be repeated, RFC 8707 §2). The first two come before there is an address for errors. */
export const singleParameters = singleNamesOf(authorizeParameters).filter(
  (name) => name !== 'client_id' && name !== 'redirect_uri',
);

const sentOnce = (name: string, missing: RefusalReason, { params }: Checked): Finding | null => {
  if (isRepeated(params, name)) return invalid(`${name} was sent more than once`, 'parameter-repeated');
  return one(params, name) === undefined ? invalid(`${name} is missing`, missing) : null;
};

const findUnsupportedResponseType = (value: string | undefined): Finding | null => {
  if (value === undefined) return invalid('response_type is missing', 'parameter-missing');
  if (value === 'code') return null;
  const implicit = value.split(' ').some((word) => word === 'token' || word === 'id_token');
  const finding: Finding = {
    error: 'unsupported_response_type',
    description: 'response_type must be code',
    reason: 'response-type-not-supported',
  };
  return implicit ? { ...finding, by: 'fragment' } : finding;
};

const scopeFindings = {
  'bad-syntax': {
    error: 'invalid_scope',
    description: 'scope must be a space-delimited list of scope tokens',
    reason: 'scope-malformed',
  },
  'not-allowed': {
    error: 'invalid_scope',
    description: 'scope contains a scope that this add-on is not registered for',
    reason: 'scope-not-allowed',
  },
} as const satisfies Record<ScopeRefusal, Finding>;

const findBadScope = (sent: string, addon: Addon | null): Finding | null => {
  const parsed = parseScope(sent, addon?.allowedScopes ?? []);
  return parsed.ok ? null : scopeFindings[parsed.refusal];
};

const whyUnusable = (addon: Addon | null): RefusalReason => {
  if (!addon) return 'client-unknown';
  return addon.retired ? 'addon-retired' : 'addon-suspended';
};

/** In order: each check runs only after all earlier ones have passed. */
export const authorizeChecks: readonly Check[] = [
  { rule: 'AZ-02', to: 'page', find: (checked) => sentOnce('client_id', 'client-id-missing', checked) },
  {
    rule: 'AZ-03',
    to: 'page',
    find: ({ addon }) =>
      !addon || addon.suspended || addon.retired
        ? invalid('client_id is not that of a registered add-on', whyUnusable(addon))
        : null,
  },
  { rule: 'AZ-04', to: 'page', find: (checked) => sentOnce('redirect_uri', 'redirect-uri-missing', checked) },
  {
    rule: 'AZ-05',
    to: 'page',
    find: ({ params, addon }) =>
      isRegisteredRedirectUri(addon?.redirectUris ?? [], one(params, 'redirect_uri') ?? '')
        ? null
        : invalid('redirect_uri is not registered for this add-on', 'redirect-uri-not-registered'),
  },
  {
    rule: 'AZ-10',
    to: 'redirect',
    find: ({ params }) => {
      const repeated = singleParameters.find((name) => isRepeated(params, name));
      return repeated ? invalid(`${repeated} was sent more than once`, 'parameter-repeated') : null;
    },
  },
  {
    rule: 'bad input',
    to: 'redirect',
    find: ({ params }) => {
      const tooLong = singleParameters.find((name) => (one(params, name)?.length ?? 0) > longest);
      return tooLong
        ? invalid(`${tooLong} is longer than ${longest} characters`, 'parameter-too-long')
        : null;
    },
  },
  {
    rule: 'bad input',
    to: 'redirect',
    find: ({ params }) =>
      carriedBytes(params) > mostCarried
        ? invalid(
            'state, nonce, organization, resource and redirect_uri are too long together',
            'parameter-too-long',
          )
        : null,
  },
  ...(['request', 'request_uri', 'registration'] as const).map((name): Check => ({
    rule: 'AZ-11',
    to: 'redirect',
    find: ({ params }) =>
      one(params, name) === undefined
        ? null
        : {
            error: `${name}_not_supported`,
            description: `${name} is not supported`,
            reason: 'parameter-not-supported',
          },
  })),
  {
    rule: 'AZ-12',
    to: 'redirect',
    find: ({ params }) => findUnsupportedResponseType(one(params, 'response_type')),
  },
  {
    rule: 'AZ-13',
    to: 'redirect',
    find: ({ params }) =>
      (one(params, 'response_mode') ?? 'query') === 'query'
        ? null
        : invalid('response_mode must be query', 'response-mode-not-supported'),
  },
  {
    rule: 'AZ-14',
    to: 'redirect',
    find: ({ addon }) =>
      addon?.grantTypes.includes('authorization_code')
        ? null
        : {
            error: 'unauthorized_client',
            description: 'this add-on may not use authorization codes',
            reason: 'grant-type-not-registered',
          },
  },
  {
    rule: 'AZ-15',
    to: 'redirect',
    find: ({ params }) => {
      const state = one(params, 'state');
      if (state === undefined) return invalid('state is missing', 'state-missing');
      return state.includes('\uFFFD') ? invalid('state is not UTF-8', 'malformed-request') : null;
    },
  },
  {
    rule: 'AZ-16',
    to: 'redirect',
    find: ({ params, addon }) => findBadScope(one(params, 'scope') ?? '', addon),
  },
  {
    rule: 'AZ-17',
    to: 'redirect',
    find: ({ params }) => {
      if (one(params, 'code_challenge') === undefined)
        return invalid('code_challenge is missing', 'pkce-missing');
      return one(params, 'code_challenge_method') === 'S256'
        ? null
        : invalid('code_challenge_method must be S256', 'pkce-missing');
    },
  },
  {
    rule: 'AZ-18',
    to: 'redirect',
    find: ({ params }) =>
      isCodeChallenge(one(params, 'code_challenge') ?? '')
        ? null
        : invalid(
            'code_challenge must be 43 to 128 letters, digits and - . _ ~ (RFC 7636 4.2)',
            'pkce-malformed',
          ),
  },
  {
    rule: 'AZ-19',
    to: 'redirect',
    find: ({ params }) =>
      parsePrompt(one(params, 'prompt') ?? '')
        ? null
        : invalid(
            'prompt must be none alone, or some of consent, login and select_account',
            'prompt-not-supported',
          ),
  },
  {
    rule: 'AZ-20',
    to: 'redirect',
    find: ({ params }) =>
      /^\d+$/.test(one(params, 'max_age') ?? '0')
        ? null
        : invalid('max_age must be a whole number of seconds', 'max-age-malformed'),
  },
  {
    rule: 'AZ-21',
    to: 'redirect',
    find: ({ hint }) =>
      hint?.userId === null
        ? invalid('id_token_hint is not an id_token for this add-on', 'id-token-hint-unknown')
        : null,
  },
  {
    rule: 'AZ-22',
    to: 'redirect',
    find: ({ params }) => {
      const resources = (params.get('resource') ?? []).filter((resource) => resource !== '');
      return resources.length <= 10 && resources.every(isTarget)
        ? null
        : {
            error: 'invalid_target',
            description: 'resource must be an absolute URI without a fragment',
            reason: 'resource-malformed',
          };
    },
  },
  {
    rule: 'CL-06',
    to: 'redirect',
    find: ({ params, addon, baseUrl }) => {
      const allowed = addon?.allowedAudiences.map(({ audience }) => audience) ?? [];
      return foreignIn(resourcesOf(params, baseUrl)).every((resource) => allowed.includes(resource))
        ? null
        : {
            error: 'invalid_target',
            description: 'this add-on may not request that resource',
            reason: 'resource-not-allowed',
          };
    },
  },
  {
    rule: 'AP-03',
    to: 'redirect',
    find: ({ params }) =>
      ['user', 'organization'].includes(one(params, 'subject') ?? 'user')
        ? null
        : invalid('subject must be user or organization', 'subject-malformed'),
  },
  {
    rule: 'AP-03',
    to: 'redirect',
    find: ({ params }) => {
      const organization = one(params, 'organization');
      if (organization === undefined) return null;
      if (one(params, 'subject') === 'user')
        return invalid('organization cannot be sent with subject=user', 'subject-malformed');
      return readSelector(organization) && !organization.includes('\uFFFD')
        ? null
        : invalid(
            'organization must be the id of an organization, or external: and its external id',
            'organization-malformed',
          );
    },
  },
];
