import { json, problems } from '../../openapi/answers.ts';
import type { Operation, Paths } from '../../openapi/describe.ts';
import { always, like, type HeaderUses } from '../../openapi/headers.ts';
import { openDocument } from '../../requests/cors.ts';
import { metadataOf, protectedResourceOf } from './metadata.ts';

const forAll: HeaderUses = {
  'Cache-Control': always('public, max-age=300'),
  'Access-Control-Allow-Origin': always('*'),
};

const metadata = (path: string): Operation => ({
  id: path.replace(/[^\w]+/g, '-').slice(1),
  tag: 'Discovery',
  summary: `Find out what the server offers${path.includes('openid') ? ' (OpenID Connect)' : ''}`,
  description:
    'The document that OAuth libraries request first. The same document under each name that clients look for (RFC 8414 §3.1, OpenID Connect Discovery §4).',
  security: [],
  answers: [
    json(200, 'The metadata.', 'Metadata', forAll, {
      metadata: metadataOf({ issuer: 'https://auth.example', baseUrl: 'https://auth.example' }),
    }),
    ...problems([]),
  ],
});

const keySet: Operation = {
  id: 'jwks',
  tag: 'Discovery',
  summary: 'Get the keys to check id_tokens with',
  description:
    'A new key is here long before it signs, and stays until its last id_token has expired: ask again when a `kid` is not known.',
  security: [],
  answers: [
    json(
      200,
      'The keys.',
      'KeySet',
      { ...forAll, ETag: like('"mJ1v…"') },
      {
        keys: {
          keys: [
            {
              kty: 'RSA',
              kid: 'lJQ0w2mXg7bR',
              use: 'sig',
              alg: 'RS256',
              n: 'sXchD0m3cQ6Z8vYh1mEoPw',
              e: 'AQAB',
            },
          ],
        },
      },
    ),
    { status: 304, description: 'The same as before.', headers: { ...forAll, ETag: like('"mJ1v…"') } },
    ...problems([]),
  ],
};

const example = { issuer: 'https://auth.example', baseUrl: 'https://auth.example' };

const protectedResource = (path: string): Operation => ({
  id: path.replace(/[^\w]+/g, '-').slice(1),
  tag: 'Discovery',
  summary: 'Find out whose tokens open the lists',
  description: 'RFC 9728. The challenge of a list names this address.',
  security: [],
  answers: [
    json(200, 'The metadata.', 'ProtectedResource', forAll, { metadata: protectedResourceOf(example) }),
    ...problems([]),
  ],
});

/** With a path in the issuer: RFC 8414 §3.1 and RFC 9728 §3 put the well-known part before it, Discovery §4 after it (MD-01). */
const everywhere = (known: string, issuer: string, describe: (url: string) => Operation) => {
  const own = new URL(issuer).pathname.replace(/\/$/, '');
  const urls = own === '' ? [known] : [known, known + own, own + known];
  return Object.fromEntries(urls.map((url) => [url, openDocument(describe(url))]));
};

export const metadataPaths = (issuer: string) => ({
  ...everywhere('/.well-known/oauth-authorization-server', issuer, metadata),
  ...everywhere('/.well-known/openid-configuration', issuer, metadata),
});

export const protectedResourcePaths = (issuer: string) =>
  everywhere('/.well-known/oauth-protected-resource', issuer, protectedResource);

export const keyPaths = { '/oauth/jwks': openDocument(keySet) } satisfies Paths;
