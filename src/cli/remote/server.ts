import { normalUrl } from '../../common/normal-url.ts';
import type { Proxies } from '../../common/outgoing/proxies.ts';
import type { Environment } from '../sign-in/token-file.ts';

/** The service of a run: its public address in its one spelling, without a slash at the end, and the proxies that requests may go through. */
export type Server = { readonly url: string; readonly proxies?: Proxies };

/** `--server` or `GRANTBOOK_SERVER`, as it was given; null without either. */
export const serverGiven = (args: readonly string[], env: Environment): string | null => {
  for (const [index, arg] of args.entries()) {
    if (arg === '--') break;
    if (arg === '--server') return args[index + 1] ?? '';
    if (arg.startsWith('--server=')) return arg.slice('--server='.length);
  }
  const { GRANTBOOK_SERVER: given = '' } = env;
  return given === '' ? null : given;
};

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** The service of an address, or what is wrong with it. A token is sent in clear only to this machine. */
export const readServer = (given: string): Server | { readonly problem: string } => {
  if (given === '') return { problem: 'it is missing' };
  if (!URL.canParse(given))
    return { problem: 'it is not a URL; it is the address of the service, such as https://auth.example' };
  const { protocol, hostname, username, password, search, hash, origin, pathname } = new URL(given);
  if (protocol !== 'https:' && protocol !== 'http:') return { problem: 'it must begin with https://' };
  if (username !== '' || password !== '' || search !== '' || hash !== '')
    return { problem: 'it is an address alone, without a user, a query or a fragment' };
  if (protocol === 'http:' && !isLoopback(hostname))
    return {
      problem: 'over http the token would be sent in clear; use https (http is for this machine only)',
    };
  return { url: normalUrl(`${origin}${pathname}`) };
};

/** Settings of servers, which would make the command mean something else. */
const ofServers = ['EVENTSTORE_URL', 'DATABASE_URL', 'TOKEN_KEYS', 'TOKEN_KEYS_FILE'] as const;

/** The settings of servers next to an address: the caller has to say which of both is meant. */
export const serversGivenToo = (env: Environment): readonly string[] =>
  ofServers.filter((name) => (env[name] ?? '') !== '');
