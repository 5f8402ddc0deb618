import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { SignInProvider } from '../../../src/config/sign-in-providers.ts';

/** What one provider does otherwise than a right one. */
export type Fault = {
  readonly discovery?: (answer: ServerResponse, right: { readonly token_endpoint: string }) => void;
  readonly token?: (answer: ServerResponse, right: object) => void;
  readonly keys?: (answer: ServerResponse, right: object) => void;
  /** A text is a JWT; a number the status of a refusal. */
  readonly userInfo?: object | number | ((sign: Sign) => Promise<string>);
  /** Changes to the id_token's claims; undefined leaves one out. Times in seconds. */
  readonly claims?: (now: number) => Readonly<Record<string, unknown>>;
  /** What the id_token is signed with, by default RS256. */
  readonly alg?: 'ES256';
  /** Makes the id_token, instead of signing it with the published key. */
  readonly sign?: (payload: Readonly<Record<string, unknown>>, secret: string) => Promise<string>;
};

type Sign = (payload: Readonly<Record<string, unknown>>, alg?: string) => Promise<string>;

export type HostileProvider = {
  readonly issuerOf: (fault: string) => string;
  /** What the next token answer to this code is about. */
  expect(code: string, nonce: string): void;
  /** Signs with another key from now on, and publishes only that one. */
  rotate(): Promise<void>;
  readonly calls: (path: string) => number;
  /** Of our side, for the provider of that fault. */
  readonly settings: (
    fault: string,
    change?: Partial<Omit<SignInProvider, 'claims'>> & {
      readonly claims?: Partial<SignInProvider['claims']>;
    },
  ) => SignInProvider;
  readonly signLogoutToken: (
    fault: string,
    claims: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, string>>,
  ) => Promise<string>;
  close(): Promise<void>;
};

export const hostileSecret = 'a-secret-that-is-at-least-as-long-as-a-key';

export const json = (answer: ServerResponse, body: unknown, status = 200): void =>
  void answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** One server with a provider for each fault: its issuer is the path. */
export const startHostileProvider = async (
  faults: Readonly<Record<string, Fault>>,
): Promise<HostileProvider> => {
  const makeKeys = async (kid: string) => ({
    RS256: { kid, ...(await generateKeyPair('RS256', { extractable: true })) },
    ES256: { kid: `${kid}-ec`, ...(await generateKeyPair('ES256', { extractable: true })) },
  });
  let keys = await makeKeys('first');
  const sign = (payload: Readonly<Record<string, unknown>>, header: Readonly<Record<string, string>>) => {
    const alg = header['alg'] === 'ES256' ? 'ES256' : 'RS256';
    const { kid, privateKey } = keys[alg];
    return new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  };
  const nonces = new Map<string, string>();
  const asked: string[] = [];
  const server = createServer((request, answer) => void serve(request, answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuerOf = (fault: string) => `${origin}/${fault}`;

  const idTokenOf = async (name: string, fault: Fault, nonce: string): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: issuerOf(name),
      sub: `user-of-${name}`,
      aud: 'grantbook',
      exp: now + 300,
      iat: now,
      nonce,
      ...fault.claims?.(now),
    };
    if (fault.sign) return fault.sign(payload, hostileSecret);
    return sign(payload, { alg: fault.alg ?? 'RS256' });
  };

  const serve = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    asked.push(path);
    const [, name = ''] = path.split('/');
    const fault = faults[name] ?? {};
    const issuer = issuerOf(name);
    if (path.endsWith('/.well-known/openid-configuration')) {
      const right = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        ...(fault.userInfo && { userinfo_endpoint: `${issuer}/userinfo` }),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      };
      return (fault.discovery ?? json)(answer, right);
    }
    if (path.endsWith('/keys')) {
      const published = Object.entries(keys).map(async ([alg, { kid, publicKey }]) => ({
        ...(await exportJWK(publicKey)),
        kid,
        alg,
        use: 'sig',
      }));
      return (fault.keys ?? json)(answer, { keys: await Promise.all(published) });
    }
    if (path.endsWith('/userinfo')) {
      const { userInfo } = fault;
      if (typeof userInfo === 'number')
        return void answer.writeHead(userInfo, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
      if (typeof userInfo !== 'function') return json(answer, userInfo);
      const jwt = await userInfo((payload, alg = 'RS256') => sign(payload, { alg }));
      return void answer.writeHead(200, { 'content-type': 'application/jwt' }).end(jwt);
    }
    if (!path.endsWith('/token')) return void answer.writeHead(404).end();
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const nonce = nonces.get(new URLSearchParams(body).get('code') ?? '') ?? '';
    const idToken = await idTokenOf(name, fault, nonce);
    return (fault.token ?? json)(answer, { access_token: 'at', token_type: 'Bearer', id_token: idToken });
  };

  return {
    issuerOf,
    settings: (id, { claims, ...change } = {}) => ({
      id,
      name: id,
      issuer: issuerOf(id),
      clientId: 'grantbook',
      clientSecret: hostileSecret,
      scopes: ['openid'],
      claims: { name: 'name', email: null, administratorOf: null, roles: null, ...claims },
      ...change,
    }),
    expect: (code, nonce) => void nonces.set(code, nonce),
    rotate: async () => void (keys = await makeKeys(`after-${keys.RS256.kid}`)),
    calls: (path) => asked.filter((one) => one === path).length,
    signLogoutToken: (name, claims, header = { typ: 'logout+jwt' }) => {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: issuerOf(name), aud: 'grantbook', iat: now, exp: now + 120, ...claims };
      return sign(payload, { ...header });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
