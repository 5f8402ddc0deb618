/** A connection string as the client reads it; option names are in lower case, without `-` and `_`. */
export type ConnectionString = {
  /** `name` or `name:port`, as written. */
  readonly hosts: readonly string[];
  /** Whether the client asks the servers for the leader: several hosts, or a name to discover. */
  readonly isCluster: boolean;
  /** `user:password`, percent-encoded; null without. */
  readonly credentials: string | null;
  /** The client's default is TLS. */
  readonly tls: boolean;
  readonly options: ReadonlyMap<string, string>;
};

export const readConnectionString = (url: string): ConnectionString => {
  const [, discover, credentials, hosts = '', query = ''] =
    /^esdb(\+discover)?:\/\/([^:@]+:[^@]+@|[^/?@]*@)?([^/?]*)\/?(?:\?(.*))?$/s.exec(url.trim()) ?? [];
  const options = new Map(
    (query === '' ? [] : query.split('&')).map((pair) => {
      const [key = '', value = ''] = pair.split('=', 2);
      return [key.trim().toLowerCase().replace(/[_-]/g, ''), value.trim()];
    }),
  );
  const names = hosts.split(',').map((host) => host.trim());
  return {
    hosts: names,
    isCluster: discover !== undefined || names.length > 1,
    credentials: credentials?.slice(0, -1) ?? null,
    tls: options.get('tls') !== 'false',
    options,
  };
};

/** The file path in an option, or null. */
export const fileOption = (options: ConnectionString['options'], name: string): string | null => {
  const path = options.get(name);
  if (!path) return null;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** The same URL for one node of the cluster, `host:port`: the client then does not look for the leader. */
export const withHost = (url: string, address: string): string =>
  url
    .trim()
    .replace(
      /^esdb(?:\+discover)?:\/\/([^:@]+:[^@]+@|[^/?@]*@)?[^/?]*/,
      (_, credentials: string | undefined) => `esdb://${credentials ?? ''}${address}`,
    );
