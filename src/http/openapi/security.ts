import { cookieName } from '../session/cookies.ts';
import { eachRecord } from '../../domain/records/each-record.ts';
import type { SignalScope } from '../../domain/access/addon-token.ts';
import { signalScopes } from '../../domain/access/events.ts';
import { isScope, scopes, type Scope } from '../../domain/access/scope.ts';

/** How a caller may authenticate: a security scheme of the document, or the scope that an access token needs. */
export type Security =
  | Scope
  | SignalScope
  | 'access-token'
  | 'client-basic'
  | 'client-in-form'
  | 'session'
  | 'administrator-token';

const scopeWords: Record<Scope, string> = {
  openid: 'Who signed in',
  profile: 'The name of the user who signed in, with `openid`',
  email: 'The e-mail address of the user who signed in, with `openid`',
  ...eachRecord('scope', ({ words }) => `The list of ${words.many}`),
};

const signalScopeWords: Record<SignalScope, string> = {
  'ssf.read': 'Reads its streams, and polls.',
  'ssf.manage': 'Changes its streams, too.',
};

type Server = { readonly baseUrl: string; readonly secureCookies: boolean };

export const securitySchemes = ({ baseUrl, secureCookies }: Server) => ({
  oauth2: {
    type: 'oauth2',
    description:
      'An access token as `Authorization: Bearer …`, got by the authorization code flow with PKCE.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl: `${baseUrl}/oauth/token`,
        refreshUrl: `${baseUrl}/oauth/token`,
        scopes: Object.fromEntries(scopes.map((scope) => [scope, scopeWords[scope]])),
      },
    },
  },
  clientCredentials: {
    type: 'oauth2',
    description: 'An access token that a confidential add-on takes for itself.',
    flows: { clientCredentials: { tokenUrl: `${baseUrl}/oauth/token`, scopes: signalScopeWords } },
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same access token, for tools that do not speak OAuth.',
  },
  clientBasic: {
    type: 'http',
    scheme: 'basic',
    description:
      'A confidential add-on’s `client_id` and secret, each form-encoded before they are joined (RFC 6749 §2.3.1).',
  },
  administratorToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An administrator token, made at `/account` or by the operator: `mkt_admin_…`. It opens what its user administers at the moment of use, in one organization or in all. If one is sent, the session of the browser is ignored.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: cookieName({ baseUrl, secureCookies }, 'session'),
    description: 'The session of a browser, obtained by signing in at `/sign-in`.',
  },
});

type Requirements = readonly Readonly<Record<string, readonly string[]>>[];

const withoutScope: Readonly<Record<Exclude<Security, Scope | SignalScope>, Requirements>> = {
  'access-token': [{ oauth2: [] }, { bearer: [] }],
  'client-basic': [{ clientBasic: [] }],
  'client-in-form': [{}],
  'administrator-token': [{ administratorToken: [] }],
  session: [{ session: [] }],
};

const isSignalScope = (security: Security): security is SignalScope =>
  (signalScopes as readonly string[]).includes(security);

/** One alternative of an operation's `security`. Only OAuth and OpenID Connect schemes list scopes (§4.8.30). */
export const requirementsOf = (security: Security): Requirements =>
  isSignalScope(security)
    ? [{ clientCredentials: [security] }]
    : isScope(security)
      ? [{ oauth2: [security] }, { bearer: [] }]
      : withoutScope[security];
