import { describe, expect, test } from 'vitest';
import { addonStream } from '../../../src/domain/streams.ts';
import type { RegisterAddon } from '../../../src/commands/addons/register-addon.ts';
import { s256 } from '../../../src/commands/credentials/secrets.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { atAppend } from '../../support/memory/at-append.ts';

const books: RegisterAddon = {
  name: 'Books & Keys',
  redirectUris: ['https://books.example/callback'],
  configurationUrl: null,
  allowedScopes: ['access-rights:read'],
  confidential: true,
};
const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const digestOf = (secret: string | null) => s256(secret ?? '');

describe('rotating the secret of an add-on', () => {
  test('AD-02: a new one overlaps with the old one until that is removed, at once on the same instance', async () => {
    const { registerAddon, addAddonSecret, removeAddonSecret, listAddonSecrets, findAddon, types, now } =
      marketplace();
    const { clientId, clientSecret: old } = valueOf(await registerAddon(books));
    expect(old).toMatch(/^mkt_cs_[A-Za-z0-9_-]{43}$/);
    await findAddon(clientId);
    const added = valueOf(await addAddonSecret(clientId));
    expect(added.clientSecret).toMatch(/^mkt_cs_[A-Za-z0-9_-]{43}$/);
    const digests = async () => (await findAddon(clientId))?.secretDigests;
    expect(await digests()).toEqual([digestOf(old), digestOf(added.clientSecret)]);

    const [first] = (await listAddonSecrets(clientId)) ?? [];
    const removing = { addonId: clientId, secretId: first?.secretId ?? '' };
    expect(await removeAddonSecret(removing)).toEqual({ ok: true, value: null });
    expect(await digests()).toEqual([digestOf(added.clientSecret)]);
    expect(await listAddonSecrets(clientId)).toEqual([{ secretId: added.secretId, addedAt: now() }]);
    expect(types()).toEqual([
      'AddonRegistered',
      'AddonSecretAdded',
      'AddonSecretAdded',
      'AddonSecretRemoved',
    ]);
  });

  test('TK-08: the last one stays, for an add-on without any would need to prove nothing', async () => {
    const { registerAddon, removeAddonSecret, listAddonSecrets } = marketplace();
    const { clientId: addonId } = valueOf(await registerAddon(books));
    const [only] = (await listAddonSecrets(addonId)) ?? [];
    const removing = { addonId, secretId: only?.secretId ?? '' };
    expect(await removeAddonSecret(removing)).toEqual({ ok: false, refusal: 'last-secret' });
    expect(await listAddonSecrets(addonId)).toEqual([only]);
  });

  test('what is public, unknown or full is refused, and nothing is written', async () => {
    const { registerAddon, addAddonSecret, removeAddonSecret, listAddonSecrets, store } = marketplace();
    const open = valueOf(await registerAddon({ ...books, confidential: false })).clientId;
    const closed = valueOf(await registerAddon(books)).clientId;
    for (let count = 1; count < 5; count += 1) valueOf(await addAddonSecret(closed));
    const before = store.all().length;
    expect([
      await addAddonSecret(open),
      await addAddonSecret(closed),
      await addAddonSecret(nobody),
      await addAddonSecret('$all'),
      await removeAddonSecret({ addonId: nobody, secretId: 'x' }),
      await removeAddonSecret({ addonId: '$all', secretId: 'x' }),
      await removeAddonSecret({ addonId: closed, secretId: 'x' }),
    ]).toMatchObject([
      { refusal: 'addon-public' },
      { refusal: 'too-many-secrets' },
      { refusal: 'addon-unknown' },
      { refusal: 'addon-unknown' },
      { refusal: 'addon-unknown' },
      { refusal: 'addon-unknown' },
      { refusal: 'secret-unknown' },
    ]);
    expect([await listAddonSecrets(nobody), await listAddonSecrets('$all')]).toEqual([null, null]);
    expect(await listAddonSecrets(open)).toEqual([]);
    expect(store.all()).toHaveLength(before);
  });

  test('an append that ended without a word is taken for what it was, and nothing is done twice', async () => {
    const { hooks, arm } = atAppend('afterAppend');
    const { registerAddon, addAddonSecret, removeAddonSecret, findAddon, store } = marketplace(hooks);
    const { clientId: addonId } = valueOf(await registerAddon(books));
    arm();
    const { secretId, clientSecret } = valueOf(await addAddonSecret(addonId));
    expect((await findAddon(addonId))?.secretDigests).toContain(digestOf(clientSecret));
    arm();
    expect(await removeAddonSecret({ addonId, secretId })).toEqual({ ok: true, value: null });
    const { events } = await store.read(addonStream(addonId));
    expect(events.map(({ event }) => event.type)).toEqual([
      'AddonRegistered',
      'AddonSecretAdded',
      'AddonSecretAdded',
      'AddonSecretRemoved',
    ]);
  });
});
