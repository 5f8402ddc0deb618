import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config/config.ts';
import { offersOf } from '../src/http/federation/redirect-to-provider.ts';
import { signInPage } from '../src/http/session/views/session-pages.ts';
import { makeReader } from '../src/http/words/reader.ts';
import { makeCertificates } from './support/servers/certificates.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const acme = {
  id: 'acme',
  name: 'Acme ID',
  issuer: 'https://id.acme.example/realms/a',
  client_id: 'grantbook',
};

const fileWith = (content: unknown): string => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'secret'), 'from-a-file\n');
  writeFileSync(join(folder, 'empty'), '\n');
  const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
  writeFileSync(join(folder, 'broken'), pem('bm90IGEgY2VydGlmaWNhdGU='));
  const file = join(folder, 'providers.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

const read = (content: unknown, env: Readonly<Record<string, string>> = {}) =>
  readConfig({ SIGN_IN_PROVIDERS_FILE: fileWith(content), ...env }).signIn;

const problemsOf = (content: unknown, env: Readonly<Record<string, string>> = {}): readonly string[] => {
  try {
    read(content, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

test('FE-01: a provider is read with its secret from a file next to it, and with its claims', () => {
  const entry = {
    ...acme,
    client_secret_file: 'secret',
    scopes: ['openid', 'groups'],
    claims: {
      name: 'display_name',
      email: null,
      administrator_of: 'https://acme.example/orgs',
      roles: 'roles',
    },
  };
  expect(read([entry]).providers).toEqual([
    {
      id: 'acme',
      name: 'Acme ID',
      issuer: acme.issuer,
      clientId: 'grantbook',
      clientSecret: 'from-a-file',
      scopes: ['openid', 'groups'],
      claims: {
        name: 'display_name',
        email: null,
        administratorOf: 'https://acme.example/orgs',
        roles: 'roles',
      },
      emailVerified: 'claim',
    },
  ]);
  const assumed = read([{ ...acme, email_verified: 'assumed' }]).providers;
  expect(assumed).toMatchObject([{ emailVerified: 'assumed' }]);
});

test.each([true, 1, null, ['assumed'], 'ASSUMED', 'yes', ''])(
  'FX-01: email_verified is "claim" or "assumed", not %j',
  (value) => {
    expect(problemsOf([{ ...acme, email_verified: value }])).toEqual([
      'SIGN_IN_PROVIDERS_FILE: [0].email_verified: is missing or wrong; allowed: "claim" or "assumed"',
    ]);
  },
);
test('FX-06, FX-14: the algorithm of a provider, and the authorities in addition to the usual ones', async () => {
  const file = fileWith([{ ...acme, id_token_signed_response_alg: 'ES256', ca_file: 'ca.pem' }]);
  writeFileSync(join(dirname(file), 'ca.pem'), `# ours\n${(await makeCertificates()).ca}`);
  const [provider] = readConfig({ SIGN_IN_PROVIDERS_FILE: file }).signIn.providers;
  expect(provider?.signingAlg).toBe('ES256');
  expect(provider?.ca).toMatch(/^-----BEGIN CERTIFICATE-----[^#]+-----END CERTIFICATE-----$/);
});

test('FE-01: openid is always asked for', () => {
  expect(read([{ ...acme, scopes: ['groups'] }]).providers[0]?.scopes).toEqual(['openid', 'groups']);
});

test('FE-01: http is for a loopback host outside production', () => {
  const local = [{ ...acme, issuer: 'http://127.0.0.1:9000' }];
  expect(problemsOf(local)).toEqual([]);
  expect(problemsOf(local, { NODE_ENV: 'production' }).join('\n')).toMatch(
    /SIGN_IN_PROVIDERS_FILE: \[0\]\.issuer: got plain http; allowed: an https URL/,
  );
});

test.each([
  ['no JSON', '{', /SIGN_IN_PROVIDERS_FILE: ".*" is not JSON/],
  ['an object', { providers: [acme] }, /is not an array/],
  ['an empty list', [], /is not an array of 1 to 50/],
  ['a text as a provider', ['acme'], /\[0\]: is no object/],
  ['no issuer', [{ ...acme, issuer: undefined }], /\[0\]\.issuer: is missing or wrong/],
  ['an issuer with a query', [{ ...acme, issuer: 'https://id.acme.example/?a=b' }], /\[0\]\.issuer/],
  ['an issuer that is no address', [{ ...acme, issuer: 'id.acme.example' }], /\[0\]\.issuer/],
  [
    'plain http over a network',
    [{ ...acme, issuer: 'http://id.acme.example' }],
    /\[0\]\.issuer: got plain http/,
  ],
  ['an id in capitals', [{ ...acme, id: 'Acme' }], /\[0\]\.id: .*1 to 32/],
  ['an id that is too long', [{ ...acme, id: 'a'.repeat(33) }], /\[0\]\.id/],
  ['a repeated id', [acme, { ...acme, name: 'Other' }], /\[1\]\.id: got "acme" a second time/],
  ['an unknown key', [{ ...acme, clientId: 'x' }], /\[0\]\.clientId: unknown key; allowed: id, name/],
  ['an unknown claim', [{ ...acme, claims: { groups: 'g' } }], /\[0\]\.claims\.groups: unknown key/],
  [
    'a claim that is a list',
    [{ ...acme, claims: { roles: ['r'] } }],
    /\[0\]\.claims\.roles: is missing or wrong/,
  ],
  ['scopes as a text', [{ ...acme, scopes: 'openid profile' }], /\[0\]\.scopes: .*a list of scopes/],
  ['a scope with a blank', [{ ...acme, scopes: ['openid profile'] }], /\[0\]\.scopes\.0/],
  [
    'two secrets',
    [{ ...acme, client_secret: 'shhhh', client_secret_file: 'secret' }],
    /\[0\]\.client_secret_file: client_secret is there too/,
  ],
  [
    'a missing file',
    [{ ...acme, client_secret_file: 'nowhere' }],
    /\[0\]\.client_secret_file: cannot read "nowhere"/,
  ],
  [
    'an empty file',
    [{ ...acme, client_secret_file: 'empty' }],
    /\[0\]\.client_secret_file: the file is empty/,
  ],
])('FE-01: %s is refused at the start, and the field is named', (_what, content, found) => {
  const problems = problemsOf(content);
  expect(problems.join('\n')).toMatch(found);
  for (const problem of problems) expect(problem).toMatch(/^SIGN_IN_PROVIDERS_FILE: .*allowed: /);
  expect(problems.join('\n')).not.toContain('shhhh');
});

test.each<[string, object, RegExp]>([
  ...[['RS256'], 5, 'HS256', 'none', ''].map((alg): [string, object, RegExp] => [
    `FX-06: the algorithm ${JSON.stringify(alg)}`,
    { id_token_signed_response_alg: alg },
    /\[0\]\.id_token_signed_response_alg: is missing or wrong; allowed: one of RS256, .*Ed25519/,
  ]),
  ['FX-14: a ca_file that is no text', { ca_file: 5 }, /\[0\]\.ca_file: is missing or wrong/],
  ['FX-14: a missing ca_file', { ca_file: 'no' }, /\[0\]\.ca_file: "no" cannot be read \(ENOENT\)/],
  ['FX-14: a ca_file without PEM', { ca_file: 'secret' }, /\[0\]\.ca_file: "secret" has no certificate/],
  [
    'FX-14: a ca_file with a broken certificate',
    { ca_file: 'broken' },
    /\[0\]\.ca_file: "broken" has a certificate that cannot be read; allowed: the path of a readable file with certificates/,
  ],
])('%s is refused at the start, and the field is named', (_what, change, found) => {
  expect(problemsOf([{ ...acme, ...change }])).toEqual([expect.stringMatching(found)]);
});

const png = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d4948445200000014000000140806000000', 'hex'),
  Buffer.alloc(20),
]);

test('PG-07: a provider has its mark on its button, from a file next to the setting; without one there is none', () => {
  const file = fileWith([
    { ...acme, logo: 'acme.png' },
    { ...acme, id: 'other', name: 'Other' },
  ]);
  writeFileSync(join(dirname(file), 'acme.png'), png);
  const { providers } = readConfig({ SIGN_IN_PROVIDERS_FILE: file }).signIn;
  const page = signInPage({
    base: '',
    reader: makeReader(),
    interaction: 'i',
    addonName: null,
    email: '',
    failed: false,
    notSignedInAs: null,
    ...offersOf({ local: true, providers }, 'http://localhost', 'with other'),
  });
  const mark = `<img class="mark" src="data:image/png;base64,${png.toString('base64')}" alt="" width="20" height="20">`;
  expect(page).toContain(`>${mark} Sign in with Acme ID</button>`);
  expect(page).toContain('>Sign in with Other</button>');
});

test.each([
  ['no', '"no" cannot be read (ENOENT)'],
  ['secret', '"secret" is neither PNG, JPEG nor WebP'],
  ['mark.png', '"mark.png" is neither PNG, JPEG nor WebP'],
  ['large.png', '"large.png" has 10101 bytes'],
])('PG-07, FX-93: the mark %s is refused at the start, and the field is named', (logo, found) => {
  const file = fileWith([{ ...acme, logo }]);
  writeFileSync(
    join(dirname(file), 'mark.png'),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"/>',
  );
  writeFileSync(join(dirname(file), 'large.png'), Buffer.concat([png, Buffer.alloc(10_101 - png.length)]));
  expect(() => readConfig({ SIGN_IN_PROVIDERS_FILE: file })).toThrow(
    `SIGN_IN_PROVIDERS_FILE: [0].logo: ${found}; allowed: the path of a PNG, JPEG or WebP file of at most 10 kB`,
  );
});

test('FE-01: a file that is not there is named, and passwords are only off where a provider is on', () => {
  expect(() => readConfig({ SIGN_IN_PROVIDERS_FILE: '/nowhere/providers.json' })).toThrow(
    /SIGN_IN_PROVIDERS_FILE: "\/nowhere\/providers.json" cannot be read \(ENOENT\)/,
  );
  expect(() => readConfig({ LOCAL_SIGN_IN: 'off' })).toThrow(/SIGN_IN_PROVIDERS_FILE: got nothing; needed/);
});
