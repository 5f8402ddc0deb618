/** Appends parameters to a URI's raw string, whose own query stays byte-identical (AZ-50), before its fragment; undefined ones are left out. */
export const appendParameters = (
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
  by: 'query' | 'fragment' = 'query',
): string => {
  const pairs = Object.entries(parameters)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  if (by === 'fragment') return `${uri}#${pairs}`;
  const [, address = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(uri) ?? [];
  return address + separator(address) + pairs + fragment;
};

const separator = (address: string): string => {
  if (!address.includes('?')) return '?';
  return /[?&]$/.test(address) ? '' : '&';
};
