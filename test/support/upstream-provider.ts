import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A user of the platform's identity provider, by `sub`, with any further claims. */
export type UpstreamUser = Readonly<Record<string, unknown>>;

export type UpstreamProvider = {
  readonly issuer: string;
  readonly users: Map<string, UpstreamUser>;
  /** Who types in the password at the provider, whenever it asks for one. */
  signInAs(subject: string): void;
  /** Registers our service, with its public address on each instance. */
  register(baseUrls: readonly string[], id: string): void;
  /** A browser's cookies at the provider. */
  newVisitor(): Visitor;
  /** How often a path was asked for. */
  readonly calls: (path: string) => number;
  close(): Promise<void>;
};

export type Visitor = {
  /**
   * Follows redirects and presses the only button of each page, until the browser is sent elsewhere. @returns there; empty after a
   * sign-out that stays there
   */
  visit(url: string): Promise<string>;
};

const scopes = ['openid', 'profile', 'email', 'platform'];
export const clientSecret = 'a-secret-of-the-platform';

/** `oidc-provider` as the platform's identity provider: real, in this process, on a port of its own. */
export const startUpstreamProvider = async (): Promise<UpstreamProvider> => {
  const users = new Map<string, UpstreamUser>();
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

  const register: UpstreamProvider['register'] = (baseUrls, id) => {
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
        email: ['email'],
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
        rpInitiatedLogout: { enabled: true },
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
    newVisitor: () => ({ visit: makeVisit(issuer) }),
    calls: (path) => asked.filter((one) => one === path).length,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
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

const makeVisit = (issuer: string): Visitor['visit'] => {
  const cookies = new Map<string, string>();
  const ask = async (url: string, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return async (url) => {
    let answer = await ask(url);
    for (let steps = 0; steps < 12; steps += 1) {
      const location = answer.headers.get('location');
      if (location !== null) {
        const next = new URL(location, issuer).href;
        if (!next.startsWith(issuer)) return next;
        answer = await ask(next);
        continue;
      }
      const html = await answer.text();
      if (html.includes('Sign-out Success')) return '';
      const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
      if (action === undefined)
        throw new Error(`the provider answered ${answer.status}: ${html.slice(0, 600)}`);
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
      answer = await ask(new URL(action, issuer).href, { xsrf, logout: 'yes' });
    }
    throw new Error('the provider sends the browser round in circles');
  };
};
