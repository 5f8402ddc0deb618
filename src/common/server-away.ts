/**
 * Node's codes of lost connections, and PostgreSQL's of a server that cannot now: connections (08), resources (53), shutdown (57P),
 * cancelled (57014), disk (58030), read-only (25006), idle (25P03), conflicts (40001, 40P01).
 */
const codes =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOENT|ENOTFOUND|EAI_|08|53|57P|57014|58030|25006|25P03|40001|40P01)/;

/** Node's codes for a certificate of an authority that it does not know. */
export const unknownAuthority = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/;

/** Errors of the database driver that have no code, by their message. */
const words =
  /^(Query read timeout|timeout expired|timeout exceeded when trying to connect|Connection terminated|Client .* not queryable)/;

/** Whether a server cannot be reached, or cannot do this now: trying again later may work. */
export const isServerAway = (error: unknown): boolean => {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return isLike(codes, code) || isLike(words, message);
};

/** What PgBouncer says instead of PostgreSQL's 53300 (too_many_connections). */
const fullPool = /^(no more connections allowed|query_wait_timeout)/;

const isLike = (pattern: RegExp, value: unknown): boolean => typeof value === 'string' && pattern.test(value);

/**
 * Why a server could not be used, for an operator: a code, `no answer`, or the error's name. Libraries' messages may hold a password,
 * but not those of the database driver about TLS and passwords.
 */
export const causeOf = (error: unknown): string => {
  const { code, name, message } = (error ?? {}) as Readonly<Record<'code' | 'name' | 'message', unknown>>;
  if (isLike(fullPool, message)) return '53300';
  if (typeof code === 'string') return code;
  if (isLike(/timeout/i, message)) return 'no answer';
  if (isLike(/^Connection terminated/, message)) return 'the connection was lost';
  if (isLike(/^(The server does not support SSL|SASL)/, message)) return String(message);
  return typeof name === 'string' && name !== 'Error' ? name : 'no answer';
};

const usualAdvice =
  'check that PostgreSQL is running and reachable at the host and port of DATABASE_URL, with TLS if required';
const adviceOf: readonly (readonly [RegExp, string])[] = [
  [/^28P01$/, 'put the right user and password into DATABASE_URL'],
  [/^28000$/, 'let the user of DATABASE_URL in (pg_hba.conf), or name another'],
  [
    /^3D000$/,
    'create the database of DATABASE_URL, or use another one: `createdb`, then `grantbook migrate`',
  ],
  [
    /^53300$/,
    'it has no free connection: raise max_connections (of the role and a pooler, too), or end what holds them; an instance takes up to DATABASE_SESSIONS',
  ],
  [
    unknownAuthority,
    'nobody known here vouches for its certificate: name the authority with sslrootcert=/path/ca.crt in DATABASE_URL',
  ],
];

/** What an operator should do about a database that cannot be opened. @param cause see causeOf */
export const adviceToReach = (cause: string): string =>
  adviceOf.find(([pattern]) => pattern.test(cause))?.[1] ?? usualAdvice;
