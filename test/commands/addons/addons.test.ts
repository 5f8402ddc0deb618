import { describe, expect, test } from 'vitest';
import { usualRegistration } from '../../../src/domain/addons/addon.ts';
import type { RegisterAddon } from '../../../src/commands/addons/register-addon.ts';
import { addonSubject } from '../../../src/domain/fence/fence.ts';
import { isUlid } from '../../../src/domain/kernel/ids.ts';
import { addonStream } from '../../../src/domain/streams.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { eachWebAddress } from '../../../src/domain/addons/web-addresses.ts';

const doorOpener: RegisterAddon = {
  name: ' Door Opener ',
  redirectUris: ['https://doors.example/callback', 'http://127.0.0.1/callback'],
  configurationUrl: 'https://doors.example/configure',
  allowedScopes: ['access-rights:read'],
  confidential: false,
};
const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

describe('registering an add-on', () => {
  test('AD-01: answers a client id under which the add-on is found', async () => {
    const { registerAddon, findAddon, store, now } = marketplace();
    const { clientId, clientSecret } = valueOf(await registerAddon(doorOpener));
    expect(isUlid(clientId)).toBe(true);
    expect(clientSecret).toBeNull();
    expect(await findAddon(clientId)).toEqual({
      addonId: clientId,
      registeredAt: now(),
      name: 'Door Opener',
      redirectUris: doorOpener.redirectUris,
      configurationUrl: doorOpener.configurationUrl,
      allowedScopes: ['access-rights:read'],
      secretDigests: [],
      secretIds: [],
      allowedAudiences: [],
      ...usualRegistration,
      suspended: false,
      retired: false,
      publisherId: null,
      publisher: null,
      verified: false,
      ...eachWebAddress(() => null),
      hasLogo: false,
    });
    expect(store.all()).toMatchObject([
      { stream: addonStream(clientId), metadata: { actor: 'break-glass' } },
    ]);
  });
});

describe('suspending an add-on', () => {
  test('SU-01: closes its fence before it answers, and resuming opens it again', async () => {
    const { registerAddon, suspendAddon, resumeAddon, findAddon, fence, store } = marketplace();
    const { clientId } = valueOf(await registerAddon(doorOpener));
    const row = () => fence.rows().get(addonSubject(clientId));

    expect(valueOf(await suspendAddon(clientId))).toEqual({ position: await store.head() });
    expect(row()).toEqual({ subject: addonSubject(clientId), revision: 1n, epoch: 0, open: false });
    expect((await findAddon(clientId))?.suspended).toBe(true);

    expect(valueOf(await resumeAddon(clientId))).toEqual({ position: await store.head() });
    expect(row()).toMatchObject({ revision: 2n, open: true });
    expect((await findAddon(clientId))?.suspended).toBe(false);
  });

  test.each([nobody, 'not an id', '', '$all', '../addon'])('SU-01: %j is no add-on', async (addonId) => {
    const { suspendAddon, resumeAddon, fence, types } = marketplace();
    expect(await suspendAddon(addonId)).toEqual({ ok: false, refusal: 'addon-unknown' });
    expect(await resumeAddon(addonId)).toEqual({ ok: false, refusal: 'addon-unknown' });
    expect([types(), fence.rows().size]).toEqual([[], 0]);
  });
});

describe('finding an add-on', () => {
  test('AZ-03: what cannot be a client id is unknown without a look into the log', async () => {
    const { findAddon, reads } = marketplace();
    for (const id of ['', 'x', 'a'.repeat(26), `${nobody}0`, '8'.repeat(26), '$$meta', 'a-b'])
      expect(await findAddon(id)).toBeNull();
    expect(reads).toEqual([]);
    expect(await findAddon(nobody)).toBeNull();
    expect(reads).toEqual([addonStream(nobody)]);
  });

  test('reads the log once for many requests, and again after five seconds', async () => {
    const { registerAddon, findAddon, reads, pass } = marketplace();
    const { clientId } = valueOf(await registerAddon(doorOpener));
    await Promise.all([findAddon(clientId), findAddon(clientId), findAddon(clientId)]);
    pass(4_999);
    await findAddon(clientId);
    expect(reads).toHaveLength(1);
    pass(1);
    await findAddon(clientId);
    expect(reads).toHaveLength(2);
  });

  test('what a flow has just confirmed is as new as what was just read', async () => {
    const { registerAddon, findAddon, currentAddon, reads, pass } = marketplace();
    const { clientId } = valueOf(await registerAddon(doorOpener));
    await findAddon(clientId);
    pass(4_000);
    await currentAddon(clientId);
    reads.length = 0;
    pass(4_999);
    await findAddon(clientId);
    expect(reads).toEqual([]);
    pass(1);
    await findAddon(clientId);
    expect(reads).toHaveLength(1);
  });

  test('keeps neither an unknown add-on nor a failed read', async () => {
    let down = true;
    const { findAddon, reads } = marketplace({
      beforeRead: () => {
        if (down) throw new Error('the log cannot be read');
      },
    });
    await expect(findAddon(nobody)).rejects.toThrow('the log cannot be read');
    down = false;
    expect(await findAddon(nobody)).toBeNull();
    expect(await findAddon(nobody)).toBeNull();
    expect(reads).toHaveLength(3);
  });
});
