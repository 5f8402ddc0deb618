import { logoutParameters } from '../../contracts/logout-parameters.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { singleNamesOf } from '../../contracts/parameters.ts';
import { appendParameters } from '../../answers/append-parameters.ts';
import { isRepeated, one, type Params } from '../../requests/params.ts';

/** A sign-out request of an add-on (OpenID Connect RP-Initiated Logout 1.0 §2), reduced to its valid parts. */
export type SignOutRequest = {
  readonly addonName: string | null;
  readonly addonId: string | null;
  /** The user of `id_token_hint`; null without one. */
  readonly hintedUserId: string | null;
  /** Where the browser goes afterwards; null when it stays here. */
  readonly returnTo: { readonly uri: string; readonly state: string | undefined } | null;
  /** The add-on's mistake. Then the user may still sign out, but stays here. */
  readonly problem: string | null;
};

/** Input of the checks. `hint` is undefined without one, null when it is no id_token of ours. */
export type Asked = {
  readonly params: Params;
  readonly hint: { readonly userId: string; readonly addonId: string } | null | undefined;
  /** The add-on of `client_id` or of the hint; null when neither is sent, or the add-on is unknown. */
  readonly addon: Addon | null;
};

export const signOutParameters = singleNamesOf(logoutParameters);

/** In characters, for any one parameter; in bytes, for all that an address carries along, signed. As for authorizations. */
const longest = 4096;
const mostCarried = 8_000;

type Check = { readonly about: string; readonly find: (asked: Asked) => string | null };

/** In order; the page shows the first finding to the add-on's developer. */
export const signOutChecks: readonly Check[] = [
  {
    about: 'G-04',
    find: ({ params }) => {
      const repeated = signOutParameters.find((name) => isRepeated(params, name));
      return repeated === undefined ? null : `${repeated} was sent more than once`;
    },
  },
  {
    about: 'bad input',
    find: ({ params }) => {
      const tooLong = signOutParameters.find((name) => (one(params, name)?.length ?? 0) > longest);
      return tooLong === undefined ? null : `${tooLong} is longer than ${longest} characters`;
    },
  },
  {
    about: 'RP-Initiated Logout §2: the hint is one of ours',
    find: ({ hint }) => (hint === null ? 'id_token_hint is not an id_token of this server' : null),
  },
  {
    about: 'RP-Initiated Logout §2: client_id is the one of the hint',
    find: ({ params, hint }) => {
      const clientId = one(params, 'client_id');
      return hint && clientId !== undefined && clientId !== hint.addonId
        ? 'client_id is not the one that id_token_hint was issued to'
        : null;
    },
  },
  {
    about: 'AZ-03',
    find: ({ params, hint, addon }) =>
      (one(params, 'client_id') !== undefined || hint) && (!addon || addon.suspended || addon.retired)
        ? 'client_id is not that of a registered add-on'
        : null,
  },
  {
    about: 'RP-Initiated Logout §3: only to a registered address, octet for octet',
    find: ({ params, addon }) => {
      const uri = one(params, 'post_logout_redirect_uri');
      if (uri === undefined) return null;
      if (!addon) return 'post_logout_redirect_uri needs a client_id or an id_token_hint';
      return addon.postLogoutRedirectUris.includes(uri)
        ? null
        : 'post_logout_redirect_uri is not registered for this add-on';
    },
  },
  {
    about: 'RP-Initiated Logout §2: state is passed back',
    find: ({ params }) => {
      const state = one(params, 'state') ?? '';
      if (state.includes('\uFFFD')) return 'state is not UTF-8';
      return Buffer.byteLength(JSON.stringify(state)) > mostCarried ? 'state is too long' : null;
    },
  },
];

export const checkSignOut = (asked: Asked): SignOutRequest => {
  const { params, hint, addon } = asked;
  const problem = signOutChecks.map(({ find }) => find(asked)).find((found) => found !== null) ?? null;
  const uri = one(params, 'post_logout_redirect_uri');
  const goesBack = problem === null && uri !== undefined;
  return {
    addonName: addon && !addon.suspended && !addon.retired ? addon.name : null,
    addonId: addon?.addonId ?? null,
    hintedUserId: hint?.userId ?? null,
    returnTo: goesBack ? { uri, state: one(params, 'state') } : null,
    problem,
  };
};

export const addressOf = ({ uri, state }: NonNullable<SignOutRequest['returnTo']>): string =>
  state === undefined ? uri : appendParameters(uri, { state });
