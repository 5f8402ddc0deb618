import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { PeerClient } from '../peer-client.ts';

/**
 * `oidc-provider` as a process of its own, configured as much like us as its options allow. Its clients come as JSON in
 * the first argument; a number that is sent to it lets its clock run ahead by as many milliseconds.
 */
const clients = JSON.parse(process.argv[2] ?? '[]') as readonly PeerClient[];
const recordScopes = 'profiles:read reservations:read access-rights:read';
const days = 86_400;

let ahead = 0;
const realNow = Date.now.bind(Date);
Date.now = () => realNow() + ahead;

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const provider = new Provider(issuer, {
  clients,
  routes: { authorization: '/oauth/authorize', token: '/oauth/token' },
  scopes: ['openid', ...recordScopes.split(' ')],
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
  responseTypes: ['code'],
  pkce: { required: () => true },
  allowOmittingSingleRegisteredRedirectUri: false,
  issueRefreshToken: (_ctx: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
    client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  enableHttpPostMethods: true,
  cookies: { keys: ['differential'], long: { sameSite: 'none' } },
  ttl: {
    AccessToken: 3600,
    AuthorizationCode: 60,
    RefreshToken: 30 * days,
    Grant: 365 * days,
    Session: 30 * days,
  },
  features: {
    clientCredentials: { enabled: true },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_ctx: unknown, resource: string) => ({
        scope: recordScopes,
        audience: resource,
      }),
    },
  },
});

server.on('request', provider.callback());
process.on('message', (milliseconds: number) => {
  ahead += milliseconds;
  process.send?.('ahead');
});
process.on('disconnect', () => process.exit());
process.send?.(issuer);
