import { expect, test } from 'vitest';
import { addons, type AddonItem } from '../../../src/tasks/addons.ts';
import { changeExample, changeFields } from '../../../src/tasks/addons/addon-changes.ts';
import { fieldsOf } from '../../../src/tasks/fields.ts';
import { signals, type SignalItem } from '../../../src/tasks/signals.ts';
import { brandView } from '../../../src/http/pages/brand-view.ts';
import {
  newSecretPage,
  publishedAddonPage,
  publishedAddonsPage,
} from '../../../src/http/publisher/views/publisher-pages.ts';
import { makeReader } from '../../../src/http/words/reader.ts';
import { outsideOf, third } from '../../support/documents/third-language.ts';

test('PG-11: pages of a publisher in a made-up third language have no text of another', () => {
  const reader = makeReader(third, 'UTC');
  const view = { base: '', reader, signedIn: 'Bea', csrf: 'c', brand: brandView(null), areas: [] };
  const links = { website: null, privacy_url: null, support_url: null, configuration_url: null };
  const none = { redirect_uris: [], scopes: [], post_logout_redirect_uris: [] };
  const addon = { ...addons.example, ...links, ...none, publisher: null } as unknown as AddonItem;
  const full = publishedAddonPage({
    ...view,
    addon: { ...addon, confidential: true },
    organizations: { items: [], next: null, shown: 2, hidden: 1 },
    secrets: ['1', '2'].map((id) => ({ secret_id: id, added_at: '2026-05-03T16:20:05Z' })),
    changes: [{ ...changeExample, add_redirect_uri: [], reason: null }],
    fields: fieldsOf(changeFields),
    signals: { ...(signals.example as SignalItem), last_error: null },
    usage: [{ day: '2026-05-03', tokens: 1, requests: [], refusals: [], limits: [] }],
  });
  const bare = publishedAddonPage({
    ...view,
    addon: { ...addon, confidential: false },
    organizations: { items: [], next: null, shown: 0, hidden: 0 },
    secrets: [],
    changes: [],
    fields: [],
    signals: null,
    usage: [],
  });
  expect([full, bare].map(outsideOf)).toEqual([[], []]);
  const lists = [
    { addons: [addon], next: 'x' },
    { addons: [], next: null },
  ].map((more) => publishedAddonsPage({ ...view, ...more }));
  expect(lists.map(outsideOf)).toEqual([[], []]);
  expect(outsideOf(newSecretPage({ ...view, clientId: '1', secret: 's' }))).toEqual([]);
});
