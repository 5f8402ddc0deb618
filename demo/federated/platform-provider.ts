import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A user of the platform's identity provider, by `sub`, with any further claims. */
export type PlatformUser = Readonly<Record<string, unknown>>;

export type PlatformProvider = {
  readonly issuer: string;
  readonly users: Map<string, PlatformUser>;
  /** Who types in the password at the provider, whenever it asks for one. */
  signInAs(subject: string): void;
  /** Registers our service, with its public address on each instance. */
  register(baseUrls: readonly string[], id: string): void;
  /** How often a path was asked for. */
  readonly calls: (path: string) => number;
  close(): Promise<void>;
};

const scopes = ['openid', 'profile', 'email', 'platform'];
export const clientSecret = 'a-secret-of-the-platform';

/** `oidc-provider` as the platform's identity provider: real, in this process, on a port of its own. */
export const startPlatformProvider = async (): Promise<PlatformProvider> => {
  const users = new Map<string, PlatformUser>();
  const asked: string[] = [];
  let who = '';
  let handle: (request: IncomingMessage, answer: ServerResponse) => void = (_request, answer) =>
    void answer.writeHead(503).end();
  const server = createServer((request, answer) => {
    asked.push((request.url ?? '').replace(/\?.*/, ''));
    handle(request, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const register: PlatformProvider['register'] = (baseUrls, id) => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'grantbook',
          client_secret: clientSecret,
          redirect_uris: baseUrls.map((url) => `${url}/sign-in/callback/${id}`),
          post_logout_redirect_uris: baseUrls.map((url) => `${url}/sign-out/callback/${id}`),
          backchannel_logout_uri: `${baseUrls[0]}/sign-in/backchannel-logout/${id}`,
          backchannel_logout_session_required: true,
          response_types: ['code'],
          grant_types: ['authorization_code'],
          require_auth_time: true,
        },
      ],
      scopes,
      claims: {
        openid: ['sub', 'acr', 'amr', 'auth_time', 'sid'],
        profile: ['name'],
        email: ['email', 'email_verified'],
        platform: ['organizations', 'platform_roles'],
      },
      acrValues: ['urn:platform:mfa'],
      findAccount: (_context: unknown, subject: string) => ({
        accountId: subject,
        claims: () => ({ sub: subject, ...users.get(subject) }),
      }),
      loadExistingGrant: async ({ oidc }: GrantContext) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client.clientId,
          accountId: oidc.session.accountId,
        });
        grant.addOIDCScope(scopes.join(' '));
        await grant.save();
        return grant;
      },
      interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
      features: {
        backchannelLogout: { enabled: true },
        devInteractions: { enabled: false },
        rpInitiatedLogout: { enabled: true, logoutSource: askToSignOut },
      },
      cookies: { keys: ['upstream'] },
      // Its own dispatcher refuses loopback addresses.
      fetch: (
        url: string,
        { dispatcher: _own, ...options }: RequestInit & { readonly dispatcher?: unknown },
      ) => fetch(url, options),
    });
    const answer = provider.callback();
    handle = (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return answer(request, response);
      void provider.interactionFinished(request, response, {
        login: { accountId: who, acr: 'urn:platform:mfa', amr: ['pwd', 'otp'] },
      });
    };
  };

  return {
    issuer,
    users,
    signInAs: (subject) => void (who = subject),
    register,
    calls: (path) => asked.filter((one) => one === path).length,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** The page before signing out; the library's form gets its button. */
const askToSignOut = (context: { body: string }, form: string): void => {
  const button = '<button type="submit" name="logout" value="yes">Sign out</button></form>';
  context.body = `<!doctype html><title>Sign out</title><h1>Sign out of the platform?</h1>${form.replace('</form>', button)}`;
};

type GrantContext = {
  readonly oidc: {
    readonly provider: {
      readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    };
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
};
