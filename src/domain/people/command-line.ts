import type { Role } from './account.ts';

/** The built-in public client of every installation: the command line over the API. No add-on can have this id. */
export const commandLineClient = 'grantbook-cli';

/** The roles whose tasks the command line offers. */
const roles: readonly Role[] = ['operator', 'auditor'];

export const mayUseCommandLine = (account: { readonly roles: readonly Role[] }): boolean =>
  account.roles.some((role) => roles.includes(role));

/** Where a code may be sent: to this machine alone, to a port that the command line has opened (RFC 8252 §7.3, §8.3). */
export const isLoopbackRedirect = (uri: string): boolean => {
  const port = /^http:\/\/127\.0\.0\.1:([1-9]\d{0,4})\/$/.exec(uri)?.[1];
  return port !== undefined && Number(port) <= 65_535;
};
