import { type ConnectionString, readConnectionString } from './connection-string.ts';

/** Says what is wrong with a connection string, and what is allowed; never a value, which may contain a password. */
export type ConnectionProblem = { readonly got: string; readonly allowed: string };

type Rule = ConnectionProblem & { readonly isBroken: (read: ConnectionString) => boolean };

const flag = { pattern: /^(true|false)$/, allowed: 'true or false' };
const text = { pattern: /^([^%]|%[\da-f]{2})+$/i, allowed: 'percent-encoded text' };
const count = { pattern: /^(?!0+$)\d{1,9}$/, allowed: 'a whole number above 0' };
const milliseconds = { pattern: /^(-1|\d{1,9})$/, allowed: 'milliseconds, or -1' };

/** The options that the client reads. It ignores any other, and prints the whole string, with the password, for it. */
const knownOptions = {
  tls: flag,
  tlsCAFile: text,
  userCertFile: text,
  userKeyFile: text,
  connectionName: text,
  nodePreference: {
    pattern: /^(leader|follower|read[_-]?only[_-]?replica|random)$/i,
    allowed: 'leader, follower, read_only_replica or random',
  },
  maxDiscoverAttempts: count,
  discoveryInterval: count,
  gossipTimeout: count,
  defaultDeadline: count,
  keepAliveInterval: milliseconds,
  keepAliveTimeout: milliseconds,
  tlsVerifyCert: flag,
  throwOnAppendFailure: flag,
} as const;

const optionByKey = new Map(
  Object.entries(knownOptions).map(([name, values]) => [name.toLowerCase(), { name, ...values }]),
);

/** In this order; only the first one that is broken is reported. */
const rules: readonly Rule[] = [
  {
    isBroken: ({ hosts }) => !hosts.every(isHost),
    got: 'a host that cannot be read',
    allowed: 'host:port, with a name or an IPv4 address; several hosts separated by commas',
  },
  {
    isBroken: ({ credentials }) =>
      credentials !== null && !/^([^:?%]|%[\da-f]{2})+:([^:?%]|%[\da-f]{2})+$/i.test(credentials),
    got: 'a user and a password that cannot be read',
    allowed: 'user:password@ before the host, both percent-encoded (%25 for %, %3A for :, %40 for @)',
  },
  {
    isBroken: ({ credentials, tls }) => credentials !== null && !tls,
    got: 'a user and a password with tls=false, but they are sent over TLS only',
    allowed: 'tls=true; or tls=false without a user and a password',
  },
  {
    isBroken: ({ tls, options }) =>
      !tls && ['tlscafile', 'usercertfile', 'userkeyfile'].some((key) => options.has(key)),
    got: 'files of certificates with tls=false, but certificates are used over TLS only',
    allowed: 'tls=true; or tls=false without tlsCAFile, userCertFile and userKeyFile',
  },
  {
    isBroken: ({ options }) => options.has('usercertfile') !== options.has('userkeyfile'),
    got: 'only one of userCertFile and userKeyFile',
    allowed: 'both, or neither',
  },
  {
    isBroken: ({ options }) => options.get('tlsverifycert') === 'false',
    got: 'tlsVerifyCert=false, which has no effect',
    allowed: 'tlsCAFile with the certificate of the authority',
  },
  {
    isBroken: ({ options }) => options.get('throwonappendfailure') === 'false',
    got: 'throwOnAppendFailure=false, with which the client reports wrong revisions',
    allowed: 'throwOnAppendFailure=true, which is the default',
  },
];

const isHost = (host: string): boolean => {
  const [, port = '2113'] = /^[\w.-]+(?::(\d{1,5}))?$/.exec(host) ?? [null, '0'];
  return Number(port) > 0 && Number(port) < 65_536;
};

/** Null for a connection string that means what it says. */
export const connectionProblem = (url: string): ConnectionProblem | null => {
  const read = readConnectionString(url);
  return rules.find(({ isBroken }) => isBroken(read)) ?? optionProblem(read);
};

const optionProblem = ({ options }: ConnectionString): ConnectionProblem | null => {
  for (const [key, value] of options) {
    const known = optionByKey.get(key);
    if (!known)
      return {
        got: `an unknown option${/^[a-z]{1,30}$/.test(key) ? ` ${key}` : ''}`,
        allowed: Object.keys(knownOptions).join(', '),
      };
    if (!known.pattern.test(value)) return { got: `a wrong value of ${known.name}`, allowed: known.allowed };
  }
  return null;
};

/** @throws Error when the connection string does not mean what it says */
export const checkConnectionString = (url: string): void => {
  const problem = connectionProblem(url);
  if (problem) throw new Error(`event store URL: got ${problem.got}; allowed: ${problem.allowed}`);
};
