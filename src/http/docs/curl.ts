import type { Schema } from './type-words.ts';

export type Call = {
  readonly method: string;
  readonly address: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly form: Schema | null;
};

/** The curl command for an operation; values that the reader has to fill in are shell variables. */
export const curlOf = ({ method, address, security, form }: Call): string => {
  const filled = address.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const lines = [
    `curl ${method === 'GET' || form ? '' : `-X ${method} `}"${filled}"`,
    ...proof(security, form),
    ...(form ? fields(form) : []),
  ];
  return lines.join(' \\\n  ');
};

const proof = (security: Call['security'], form: Schema | null): readonly string[] => {
  const has = (scheme: string) => security.some((requirement) => scheme in requirement);
  if (has('oauth2')) return ['-H "Authorization: Bearer $ACCESS_TOKEN"'];
  if (has('administratorToken')) return ['-H "Authorization: Bearer $ADMINISTRATOR_TOKEN"'];
  if (has('session')) return ['-b "grantbook_session=$SESSION"'];
  return has('clientBasic') && form ? ['-d "client_id=$CLIENT_ID"'] : [];
};

/** The required fields. */
const fields = ({ properties = {}, required = [] }: Schema): readonly string[] =>
  required.map((name) => {
    const { const: only } = properties[name] ?? {};
    return only === undefined ? `--data-urlencode "${name}=$${name.toUpperCase()}"` : `-d ${name}=${only}`;
  });
