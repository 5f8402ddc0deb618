/** The cause in a few words for operators. The library's errors contain addresses and names, but no credentials. */
export const causeOf = (error: unknown): string => {
  const root = rootOf(error);
  const type = (root as { type?: unknown }).type;
  const text = root.message.split('\n')[0] ?? '';
  return (typeof type === 'string' ? `${type}: ${text}` : text || root.name).slice(0, 300);
};

/** The protocol's name of the error, for example MESSAGE_TOO_LARGE; null if the error is not from a broker. */
export const typeOf = (error: unknown): string | null => {
  const { type } = rootOf(error) as { type?: unknown };
  return typeof type === 'string' ? type : null;
};

const rootOf = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error('unknown failure');
  return error.cause instanceof Error && error.cause !== error ? rootOf(error.cause) : error;
};
