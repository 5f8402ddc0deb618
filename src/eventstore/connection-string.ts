/**
 * Refuses connection strings that mean something else than they say with the client we use. The message names the
 * option, never the string: it may hold a password.
 * @throws Error
 */
export const checkConnectionString = (url: string): void => {
  const [, query = ''] = url.split('?', 2);
  const options = new Map(
    query.split('&').map((pair) => {
      const [key = '', value = ''] = pair.split('=', 2);
      return [key.trim().toLowerCase().replace(/[_-]/g, ''), value.trim()];
    }),
  );
  const credentials = /^esdb(\+discover)?:\/\/[^/?@]*@/.test(url.trim());
  if (credentials && options.get('tls') === 'false')
    throw new Error('event store URL: with tls=false the client drops user and password silently');
  if (options.get('tlsverifycert') === 'false')
    throw new Error('event store URL: tlsVerifyCert=false has no effect, name the authority with tlsCAFile');
  if (options.get('throwonappendfailure') === 'false')
    throw new Error('event store URL: throwOnAppendFailure=false makes the client report wrong revisions');
};
