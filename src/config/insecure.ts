import { readConnectionString } from '../eventstore/server/connection-string.ts';
import { isLoopbackHost } from './parsers.ts';
import { hasTls } from './kafka-config.ts';
import type { SettingName, SettingValues } from './settings.ts';

type Values = Partial<SettingValues>;

/** Connections that would be unencrypted over a network in production, unless the operator allows them. */
export const insecureProblems = (values: Values): readonly string[] =>
  values.NODE_ENV === 'production'
    ? [
        ...problem(
          values,
          'EVENTSTORE_URL',
          'tls=true, or a loopback host',
          'ALLOW_INSECURE_EVENTSTORE',
          isPlainLog,
        ),
        ...problem(
          values,
          'DATABASE_URL',
          'sslmode=verify-full, a loopback host or a unix socket',
          'ALLOW_INSECURE_DATABASE',
          isPlainDatabase,
        ),
        ...problem(
          values,
          'KAFKA_BROKERS',
          'KAFKA_TLS on, or loopback hosts',
          'ALLOW_INSECURE_KAFKA',
          (brokers) => !hasTls(values) && !brokers.every(isLoopbackAddress),
        ),
      ]
    : [];

const problem = <N extends 'EVENTSTORE_URL' | 'DATABASE_URL' | 'KAFKA_BROKERS'>(
  values: Values,
  name: N,
  allowed: string,
  allowing: SettingName,
  isPlain: (value: NonNullable<SettingValues[N]>) => boolean,
): readonly string[] => {
  const value = values[name];
  if (value === null || value === undefined || values[allowing] || !isPlain(value)) return [];
  return [
    `${name}: got a server without TLS; allowed: ${allowed}, because NODE_ENV is production; ${allowing}=1 allows it anyway`,
  ];
};

const isLoopbackAddress = (address: string): boolean => isLoopbackHost(address.replace(/:\d+$/, ''));

const isPlainLog = (url: string): boolean => {
  const { tls, hosts } = readConnectionString(url);
  return !tls && !hosts.every(isLoopbackAddress);
};

/** As node-postgres reads it: any sslmode but `disable` requires TLS, and a host in the query takes precedence. */
const isPlainDatabase = (text: string): boolean => {
  // An empty host means this machine; a URL parser does not accept one after a user.
  const address = text.replace(/^(postgres(?:ql)?:\/\/[^/?]*@)\//, '$1localhost/');
  if (!URL.canParse(address)) return true;
  const url = new URL(address);
  const asked = (name: string) => url.searchParams.get(name);
  const mode = asked('sslmode');
  if (mode === null ? isTlsOtherwise(asked) : mode !== 'disable') return false;
  const host = asked('host') || decodeURIComponent(url.hostname);
  return !(host === '' || host.startsWith('/') || isLoopbackHost(host.replace(/^\[(.*)\]$/, '$1')));
};

const isTlsOtherwise = (asked: (name: string) => string | null): boolean =>
  ['true', '1'].includes(asked('ssl') ?? '') ||
  ['sslcert', 'sslkey', 'sslrootcert'].some((name) => asked(name)) ||
  asked('sslnegotiation') === 'direct';
