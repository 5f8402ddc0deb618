import { expect } from 'vitest';
import { addonStream, signalStream } from '../../../src/domain/streams.ts';
import { polling } from '../../support/scenes/told-addons.ts';
import type { People } from './people.ts';
import type { Story } from './story.ts';

export const redirectUri = 'https://addon.example/cb';

/** addon, publisher, clientToken, signalStream */
export const beginAddons = async ({ running, newer, step, done, says }: Story, { auditorId }: People) => {
  const { commands, store } = running.core;
  const registration = {
    name: 'Doors',
    redirectUris: [redirectUri],
    configurationUrl: 'https://addon.example/',
    allowedScopes: ['openid', 'profiles:read', 'reservations:read'],
    confidential: true,
  } as const;
  const addon = await done('an add-on is registered', () => commands.registerAddon(registration));
  const addonId = addon.clientId;
  const stranger = await done('another is, too', () =>
    commands.registerAddon({ ...registration, confidential: false }),
  );
  const { secretId } = await done('it gets a secret', () => commands.addAddonSecret(addonId));
  await done('it is suspended', () => commands.suspendAddon(addonId));
  await done('and resumed', () => commands.resumeAddon(addonId));
  const { publisherId } = await done('a publisher is created', () =>
    commands.createPublisher({ name: 'Doors Ltd' }),
  );
  await done('it gets a member', () => commands.addPublisherMember({ publisherId, userId: auditorId }));
  await done('it gets the add-on', () => commands.updateAddon({ addonId, publisherId, name: 'Doors 2' }));
  const member = { userId: auditorId, byClaim: true };
  const { change } = await done('the member proposes a change', () =>
    commands.proposeAddonChange({ addonId, member, isFree: false, website: 'https://doors.example/' }),
  );
  const { changeId, revision } = change;
  await done('which is approved', () =>
    commands.approveAddonChange({ addonId, changeId, by: 'operator', revision }),
  );
  await says(
    'the add-on has it',
    async () => (await commands.currentAddon(addonId))?.website,
    'https://doors.example/',
  );
  const ask = { addonId, secretId, scopes: ['ssf.read'] } as const;
  const { accessToken: own } = await done('the add-on takes a token', () => commands.issueAddonToken(ask));
  const claims = commands.readAddonToken(own);
  if (!claims) throw new Error('no token of ours');
  await says('which is valid', () => commands.judgeAddonToken(claims), null);
  const created = await done('it gets a signal stream', () =>
    commands.createSignalStream({ addonId, caller: 'addon', configuration: polling }),
  );
  const { streamId } = created.stream;
  const reason = 'its pushes fail';
  const [newest] = await store.readEnd(signalStream(addonId), 'last', 1);
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`;
  await done('which is paused', () =>
    commands.pauseSignalStream({ streamId, reason, revision: newest?.revision ?? null }, { traceparent }),
  );
  const found = await step('it is found', () => commands.findSignalStream(addonId));
  expect(found).toMatchObject({ status: 'paused', reason });
  await newer.append(addonStream(addonId), 200);
  await newer.append(signalStream(addonId), 600);
  const mayChange = [commands.addonChangesPausedUntil, commands.signalChangesPausedUntil];
  for (const pausedUntil of mayChange)
    await says('few changes were made', () => pausedUntil(addonId, auditorId), null);
  return { addonId, strangerId: stranger.clientId, secretId, publisherId, own, claims, streamId };
};

export type Addons = Awaited<ReturnType<typeof beginAddons>>;

export const goOnWithAddons = async (
  { running, done, says }: Story,
  { auditorId, userId }: People,
  { addonId, strangerId, secretId, publisherId, own, claims, streamId }: Addons,
) => {
  const { commands } = running.core;
  await says('the token of the add-on is valid', () => commands.judgeAddonToken(claims), null);
  await says('until it is revoked', () => commands.revokeToken({ addonId, token: own }), {
    ok: true,
    value: 'revoked',
  });
  await says('then not', () => commands.judgeAddonToken(claims), 'token-revoked');
  const status = { streamId, caller: 'addon', status: 'enabled', reason: null, by: 'receiver' } as const;
  await done('the signal stream is resumed', () => commands.setSignalStreamStatus(status));
  await done('and deleted', () => commands.deleteSignalStream({ streamId, caller: 'addon' }));
  await done('and created', () =>
    commands.createSignalStream({ addonId, caller: 'operator', configuration: polling }),
  );
  await done('a secret is removed', () => commands.removeAddonSecret({ addonId, secretId }));
  await done('the publisher is renamed', () => commands.renamePublisher({ publisherId, name: 'Gates' }));
  await says('it has a member', () => commands.isPublisherMember(publisherId, auditorId), true);
  await done('who leaves', () => commands.removePublisherMember({ publisherId, userId: auditorId }));
  await done('an add-on is retired', () => commands.retireAddon({ addonId: strangerId, by: userId }));
};
