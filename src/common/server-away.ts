/**
 * Node's codes of lost connections, and PostgreSQL's of a server that cannot now: connections (08), resources (53), shutdown (57P),
 * cancelled (57014), disk (58030), read-only (25006), idle (25P03), conflicts (40001, 40P01).
 */
const codes =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOENT|ENOTFOUND|EAI_|08|53|57P|57014|58030|25006|25P03|40001|40P01)/;

/** Errors of the database driver that have no code, by their message. */
const words =
  /^(Query read timeout|timeout expired|timeout exceeded when trying to connect|Connection terminated|Client .* not queryable)/;

/** Whether a server cannot be reached, or cannot do this now: trying again later may work. */
export const isServerAway = (error: unknown): boolean => {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return isLike(codes, code) || isLike(words, message);
};

const isLike = (pattern: RegExp, value: unknown): boolean => typeof value === 'string' && pattern.test(value);

/**
 * Why a server could not be used, for an operator: a code, `no answer`, or the error's name. Libraries' messages may hold a password,
 * but not those of the database driver about TLS and passwords.
 */
export const causeOf = (error: unknown): string => {
  const { code, name, message } = (error ?? {}) as Readonly<Record<'code' | 'name' | 'message', unknown>>;
  if (typeof code === 'string') return code;
  if (isLike(/timeout/i, message)) return 'no answer';
  if (isLike(/^Connection terminated/, message)) return 'the connection was lost';
  if (isLike(/^(The server does not support SSL|SASL)/, message)) return String(message);
  return typeof name === 'string' && name !== 'Error' ? name : 'no answer';
};
