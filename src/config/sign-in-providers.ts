import { withoutMark } from '../common/json-in.ts';
import { X509Certificate } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type SigningAlg, signingAlgs } from '../domain/people/identity.ts';
import { isLoopback } from './parsers.ts';
import { bytesOf, pictureOf, pictureRule, type Picture } from './picture.ts';

/** Names of the claims that are used; null: the claim is not used. */
export type ClaimNames = {
  readonly name: string | null;
  readonly email: string | null;
  readonly administratorOf: string | null;
  readonly roles: string | null;
};

/** An OpenID provider that users sign in with (`SIGN_IN_PROVIDERS_FILE`). */
export type SignInProvider = {
  readonly id: string;
  readonly name: string;
  /** As the provider spells it, octet for octet. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  readonly claims: ClaimNames;
  /** Whether a user's address counts: as the claim `email_verified` says, or also where the provider never sends it. */
  readonly emailVerified?: 'claim' | 'assumed';
  /** The algorithm of its tokens; absent: what its metadata says, if that is unambiguous. */
  readonly signingAlg?: SigningAlg;
  readonly ca?: string;
  /** Of its button on the sign-in page. */
  readonly logo?: Picture;
};

const text = (most: number) => z.string().trim().min(1).max(most);
const claim = text(200).nullable().optional();

/** Every sign-in page contains it. */
const mostLogoBytes = 10_000;

const allowed: Readonly<Record<string, string>> = {
  id: '1 to 32 of a–z, 0–9 and -',
  name: 'a text of 1 to 100 characters',
  issuer: 'an https URL without query and fragment; http only on a loopback host outside production',
  client_id: 'a text of 1 to 400 characters',
  client_secret: 'a text of 1 to 2000 characters',
  client_secret_file: 'the path of a file with the secret',
  scopes: 'a list of scopes, each without blanks',
  claims: 'an object with any of name, email, administrator_of and roles, each the name of a claim',
  email_verified: '"claim" or "assumed"',
  id_token_signed_response_alg: `one of ${signingAlgs.join(', ')}`,
  ca_file: 'the path of a readable file with certificates in PEM',
  logo: pictureRule(mostLogoBytes),
};

const entry = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,32}$/),
  name: text(100),
  issuer: z.string().refine((value) => URL.canParse(value) && /^https?:\/\/[^\s?#@]+$/.test(value)),
  client_id: text(400),
  client_secret: text(2_000).optional(),
  client_secret_file: text(4_000).optional(),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/))
    .max(50)
    .optional(),
  claims: z.strictObject({ name: claim, email: claim, administrator_of: claim, roles: claim }).optional(),
  email_verified: z.enum(['claim', 'assumed']).optional(),
  id_token_signed_response_alg: z.enum(signingAlgs).optional(),
  ca_file: text(4_000).optional(),
  logo: text(4_000).optional(),
});

type Entry = z.output<typeof entry>;
type Read = { readonly providers: readonly SignInProvider[]; readonly problems: readonly string[] };

const setting = 'SIGN_IN_PROVIDERS_FILE';

/** Reads and checks the file, null for no providers. Problems name the setting and the field, never a secret. */
export const readSignInProviders = (path: string | null, isProduction: boolean): Read => {
  if (path === null) return { providers: [], problems: [] };
  const entries = listIn(path);
  if ('problem' in entries) return { providers: [], problems: [entries.problem] };
  const read = entries.list.map((value, index) => readEntry(value, index, dirname(path), isProduction));
  const ids = entries.list.map((value) => (value as { readonly id?: unknown } | null)?.id);
  const repeated = ids.findIndex((id, index) => typeof id === 'string' && ids.indexOf(id) < index);
  const problems = [
    ...read.flatMap((one) => ('problems' in one ? one.problems : [])),
    ...(repeated < 0
      ? []
      : [`${at(repeated, 'id')}: got ${JSON.stringify(ids[repeated])} a second time; allowed: each id once`]),
  ];
  return { providers: read.flatMap((one) => ('provider' in one ? [one.provider] : [])), problems };
};

const at = (index: number, field: string): string =>
  `${setting}: [${index}]${field === '' ? '' : `.${field}`}`;

const listIn = (path: string): { readonly list: readonly unknown[] } | { readonly problem: string } => {
  const wrong = (what: string) => ({
    problem: `${setting}: ${JSON.stringify(path)} ${what}; allowed: a readable file with a JSON array of providers`,
  });
  const content = contentOf(path);
  if ('code' in content) return wrong(`cannot be read (${content.code})`);
  try {
    const list: unknown = JSON.parse(content.text);
    return Array.isArray(list) && list.length > 0 && list.length <= 50
      ? { list }
      : wrong('is not an array of 1 to 50 providers');
  } catch {
    return wrong('is not JSON');
  }
};

const contentOf = (path: string): { readonly text: string } | { readonly code: string } => {
  const content = bytesOf(path);
  return 'code' in content ? content : { text: withoutMark(content.bytes.toString('utf8')) };
};

const readEntry = (
  value: unknown,
  index: number,
  folder: string,
  isProduction: boolean,
): { readonly provider: SignInProvider } | { readonly problems: readonly string[] } => {
  const parsed = entry.safeParse(value);
  if (!parsed.success) return { problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, index)) };
  const secret = secretOf(parsed.data, index, folder);
  const ca = authoritiesOf(parsed.data, index, folder);
  const logo = logoOf(parsed.data, index, folder);
  const isPlain = parsed.data.issuer.startsWith('http:') && (isProduction || !isLoopback(parsed.data.issuer));
  const problems = [
    ...(isPlain ? [`${at(index, 'issuer')}: got plain http; allowed: ${allowed['issuer']}`] : []),
    ...('problem' in secret ? [secret.problem] : []),
    ...('problem' in ca ? [ca.problem] : []),
    ...('problem' in logo ? [logo.problem] : []),
  ];
  return 'problem' in secret || 'problem' in ca || 'problem' in logo || problems.length > 0
    ? { problems }
    : { provider: { ...providerOf(parsed.data, secret.value), ...ca, ...logo } };
};

type Issue = {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
};

const problemsOf = ({ code, path, keys }: Issue, index: number): readonly string[] => {
  const [field = '', ...inner] = path.map(String);
  if (code === 'unrecognized_keys')
    return (keys ?? []).map((key) => {
      const known =
        field === 'claims' ? 'name, email, administrator_of, roles' : Object.keys(allowed).join(', ');
      return `${at(index, [...path.map(String), key].join('.'))}: unknown key; allowed: ${known}`;
    });
  if (field === '') return [`${at(index, '')}: is no object; allowed: ${Object.keys(allowed).join(', ')}`];
  return [`${at(index, [field, ...inner].join('.'))}: is missing or wrong; allowed: ${allowed[field]}`];
};

const relative = 'relative to the file of the setting';

/** Certificates that are not in PEM would otherwise be found at the first sign-in. */
const authoritiesOf = (
  { ca_file: file }: Entry,
  index: number,
  folder: string,
): { readonly ca?: string } | { readonly problem: string } => {
  if (file === undefined) return {};
  const wrong = (what: string) => ({
    problem: `${at(index, 'ca_file')}: ${JSON.stringify(file)} ${what}; allowed: ${allowed['ca_file']}, ${relative}`,
  });
  const content = contentOf(resolve(folder, file));
  if ('code' in content) return wrong(`cannot be read (${content.code})`);
  const certificates = content.text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const certificate of certificates) void new X509Certificate(certificate);
  } catch {
    return wrong('has a certificate that cannot be read');
  }
  return certificates.length === 0 ? wrong('has no certificate') : { ca: certificates.join('\n') };
};

const logoOf = (
  { logo: file }: Entry,
  index: number,
  folder: string,
): { readonly logo?: Picture } | { readonly problem: string } => {
  if (file === undefined) return {};
  const found = pictureOf(resolve(folder, file), mostLogoBytes);
  if ('problem' in found)
    return {
      problem: `${at(index, 'logo')}: ${JSON.stringify(file)} ${found.problem}; allowed: ${allowed['logo']}`,
    };
  return { logo: { mediaType: found.mediaType, data: found.data } };
};

const secretOf = (
  { client_secret: secret, client_secret_file: file }: Entry,
  index: number,
  folder: string,
): { readonly value: string | null } | { readonly problem: string } => {
  if (file === undefined) return { value: secret ?? null };
  const field = at(index, 'client_secret_file');
  if (secret !== undefined) return { problem: `${field}: client_secret is there too; allowed: one of them` };
  const content = contentOf(resolve(folder, file));
  if ('code' in content)
    return {
      problem: `${field}: cannot read ${JSON.stringify(file)} (${content.code}); allowed: ${allowed['client_secret_file']}, ${relative}`,
    };
  const value = content.text.trim();
  return value === ''
    ? { problem: `${field}: the file is empty; allowed: a file with the secret` }
    : { value };
};

const providerOf = ({ scopes, claims, ...given }: Entry, clientSecret: string | null): SignInProvider => ({
  id: given.id,
  name: given.name,
  issuer: given.issuer,
  clientId: given.client_id,
  clientSecret,
  scopes: [...new Set(['openid', ...(scopes ?? ['profile', 'email'])])],
  claims: {
    name: claims?.name === undefined ? 'name' : claims.name,
    email: claims?.email === undefined ? 'email' : claims.email,
    administratorOf: claims?.administrator_of ?? null,
    roles: claims?.roles ?? null,
  },
  emailVerified: given.email_verified ?? 'claim',
  ...(given.id_token_signed_response_alg && { signingAlg: given.id_token_signed_response_alg }),
});
