import { describe, expect, test } from 'vitest';
import { scopes } from '../../../src/domain/access/scope.ts';
import { access, accessInShort } from '../../../src/http/words/access.ts';
import { languages } from '../../../src/http/words/languages.ts';
import { makeReader } from '../../../src/http/words/reader.ts';
import { obtainTokens, signedIn } from '../../support/scenes/http-scene.ts';
import { startEveryRoute } from '../../support/scenes/every-route.ts';

const readers = languages.map((words) => makeReader(words));
const english = makeReader();

test('PG-16: what scopes open is said of the reader, of a named person, of somebody, and of an organization', () => {
  const asked = ['profile', 'email', 'profiles:read'] as const;
  const said = [
    { person: 'reader' },
    { person: { name: 'Ada Ahoi' }, ofOrganization: true },
    { person: null, ofOrganization: true },
    { person: null },
  ] as const;
  expect(said.map((about) => access(english, asked, about).replaceAll(/[\u2068\u2069]/g, ''))).toEqual([
    'your name, your e-mail address, your profile',
    expect.stringMatching(
      /^the name and e-mail address of .*Ada Ahoi.*, names and contact details of its people$/,
    ),
    "the user's name and e-mail address, names and contact details of its people",
    "the user's name and e-mail address, profiles",
  ]);
  expect(accessInShort(english, asked)).toBe('name, e-mail address, profiles');
  for (const about of said) expect(access(english, [], about)).toBe('');
});

test('PG-16: what is said of somebody else never says "your", in no language', () => {
  for (const reader of readers)
    for (const about of [
      { person: null },
      { person: { name: 'Ada' } },
      { person: null, ofOrganization: true },
    ])
      expect(`${access(reader, scopes, about)} ${accessInShort(reader, scopes)}`).not.toMatch(
        /\byour\b|\bIhr/,
      );
});

describe('PG-16: pages about the access that somebody else gave', async () => {
  const { http, routes, scene, ids } = await startEveryRoute();
  const browser = await signedIn(http, { email: 'ada.all@example.com' });
  await http.commands.updateAddon({ addonId: scene.clientId, scopes: ['openid', 'profiles:read'] });
  const scope = 'openid profile email profiles:read';
  await obtainTokens(http, scene, { subject: `organization:${scene.organizationId}`, change: { scope } });
  await obtainTokens(http, scene, { subject: 'user', change: { scope } });
  await http.settle();
  const [grant] = await http.readModels.grants({ addonId: scene.clientId }, { after: null, limit: 1 });
  const known: Readonly<Record<string, string>> = {
    ...ids,
    client_id: scene.clientId,
    user_id: scene.userId,
    grant_id: grant?.grantId ?? '',
  };
  const pages = routes.filter(
    ({ method, as, template }) =>
      method === 'GET' &&
      as === 'person' &&
      /^\/(?:admin|audit|operator)/.test(template) &&
      !/^\/(?:operator|audit)\/api|\.(?:csv|ndjson)$/.test(template),
  );

  test.each(readers)('say whose it is (%#)', async (reader) => {
    const own = scopes.flatMap((one) => [reader.scopes[one].yours, reader.scopes[one].own]);
    let shown = 0;
    for (const page of pages) {
      const path = page.template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => known[name] ?? 'none');
      const url = path.startsWith('/audit') ? `${path}?organization=${scene.organizationId}` : path;
      const answer = await browser.get(url, { 'accept-language': reader.words.locale });
      if (answer.statusCode === 200 && answer.body.includes(reader.scopes.email.short)) shown += 1;
      expect([url, own.filter((text) => answer.body.includes(text))]).toEqual([url, []]);
    }
    expect(shown).toBeGreaterThan(2);
  });
});
