/** A sign-in provider that is never reached. */
export const acme = {
  id: 'acme',
  name: 'Acme',
  issuer: 'http://127.0.0.1:9',
  clientId: 'grantbook',
  clientSecret: null,
  scopes: ['openid'],
  claims: { name: null, email: null, administratorOf: null, roles: null },
};
