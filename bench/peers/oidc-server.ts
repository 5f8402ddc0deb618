import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { makeMapAdapter } from './map-adapter.ts';

/**
 * `oidc-provider` as a process of its own: everything in memory, its fixed development keys, opaque access tokens. Whoever
 * is sent to its sign-in is signed in at once.
 */
const [clientId = '', clientSecret = '', redirectUri = '', scope = '', port = '0'] = process.argv.slice(2);
const days = 86_400;

const server = createServer();
server.listen(Number(port), '127.0.0.1');
await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
  console.error(error.code === 'EADDRINUSE' ? `port ${port} of 127.0.0.1 is in use` : error);
  process.exit(1);
});
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

type GrantContext = {
  readonly oidc: {
    readonly provider: {
      readonly Grant: {
        new (of: object): { addOIDCScope(scope: string): void; save(): Promise<string> };
        find(id: string): Promise<unknown>;
      };
    };
    readonly session: { readonly accountId: string; grantIdFor(client: string): string | undefined };
  };
};

const provider = new Provider(issuer, {
  adapter: makeMapAdapter(),
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'RS256',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope,
    },
  ],
  routes: { authorization: '/oauth/authorize', token: '/oauth/token', introspection: '/oauth/introspect' },
  scopes: scope.split(' '),
  pkce: { required: () => true },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  cookies: { keys: ['bench'] },
  /** The approval is remembered from the first time on, as with us. */
  loadExistingGrant: async ({ oidc }: GrantContext) => {
    const id = oidc.session.grantIdFor(clientId);
    if (id !== undefined) return oidc.provider.Grant.find(id);
    const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope(scope);
    await grant.save();
    return grant;
  },
  interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
  features: { introspection: { enabled: true }, devInteractions: { enabled: false } },
  ttl: {
    AccessToken: 3600,
    AuthorizationCode: 60,
    IdToken: 3600,
    Interaction: 3600,
    RefreshToken: 30 * days,
    Grant: 365 * days,
    Session: 30 * days,
  },
});
const answer = provider.callback();
server.on('request', (request, response) => {
  if (!request.url?.startsWith('/interaction/')) return answer(request, response);
  return void provider.interactionFinished(request, response, { login: { accountId: 'bench' } });
});
console.log(JSON.stringify(issuer));
