import { expect } from 'vitest';
import type { GrantSubject } from '../../../src/domain/access/grant.ts';
import { grantStream } from '../../../src/domain/streams.ts';
import type { Running } from '../../operations/running.ts';
import { challenge, verifier } from '../../support/scenes/grants.ts';
import { type Addons, redirectUri } from './addons.ts';
import type { People } from './people.ts';
import type { Story } from './story.ts';

type Scene = People & Addons;

const scopes = ['openid', 'profiles:read'] as const;

const codeFor = ({ running, done }: Story, { addonId, userId }: Scene, subject: GrantSubject) => {
  const asked = { redirectUri, nonce: null, resources: [], codeChallenge: challenge, authTime: Date.now() };
  return done('a code is issued', () =>
    running.core.commands.issueCode({ addonId, userId, subject, scopes, ...asked }),
  );
};

const exchange = ({ running, done }: Story, { addonId }: Scene, { code }: { readonly code: string }) => {
  const asked = { addonId, code, redirectUri, codeVerifier: verifier, resources: null };
  return done('and exchanged', () => running.core.commands.exchangeCode(asked));
};

const refreshBy = ({ running }: Pick<Story, 'running'>, addonId: string, refreshToken: string) =>
  running.core.commands.refreshToken({ addonId, refreshToken, scopes: null, resources: null });

const refresh = (story: Story, { addonId }: Scene, refreshToken: string) =>
  story.done('tokens are refreshed', () => refreshBy(story, addonId, refreshToken));

/** The organization's subject of grants, at its activation now. */
const activated = async ({ running, step }: Story, { organizationId, addonId }: Scene) => {
  const { commands } = running.core;
  const { epoch } = await step('the activation is read', () =>
    commands.showActivation(organizationId, addonId),
  );
  return { kind: 'organization', organizationId, epoch } as const;
};

const activate = async (story: Story, scene: Scene) => {
  const { running, step, done } = story;
  const { commands } = running.core;
  const { organizationId, userId, sessionId, addonId, strangerId } = scene;
  const activation = { organizationId, addonId, by: userId, sessionId, asAdministrator: true };
  await done('an add-on is activated', () => commands.activateAddon(activation));
  await done('and deactivated', () => commands.deactivateAddon(activation));
  await step('which an administrator sees', () => commands.noteRefusal({ organizationId, addonId, userId }));
  await done('and activated again', () => commands.activateAddon(activation));
  await done('another is, too', () => commands.activateAddon({ ...activation, addonId: strangerId }));
  const subject = await activated(story, scene);
  expect(subject.epoch).toBe(2);
  return subject;
};

const approve = async ({ running, step, says }: Story, { userId, addonId }: Scene, subject: GrantSubject) => {
  const { commands } = running.core;
  const approval = { userId, addonId, subject, scopes };
  await step('scopes are approved', () => commands.approveScopes(approval));
  await says('and remembered', async () => (await commands.rememberedScopes(approval)).scopes, scopes);
  const own = await step('own records', () => commands.ownConsent({ userId, addonId }));
  await step('are approved', () => commands.approveScopes({ ...approval, subject: own.subject }));
  const remembered = async () => (await commands.ownConsent({ userId, addonId })).remembered.scopes;
  await says('and remembered', remembered, scopes);
  return own.subject;
};

/** So often that its first events are not read with its newest ones. */
const refreshOften = async (story: Story, scene: Scene, grantId: string, refreshToken: string) => {
  let pair = await refresh(story, scene, refreshToken);
  for (let rotation = 2; rotation <= 16; rotation += 1) {
    await story.newer.append(grantStream(grantId), rotation % 8 === 0 ? 20 : 1);
    const refreshed = await refreshBy(story, scene.addonId, pair.refreshToken);
    if (!refreshed.ok) throw new Error(`refused: rotation ${rotation}: ${refreshed.refusal}`);
    pair = refreshed.value;
  }
  return pair;
};

/** activation, consent, grant, and a second event of a session */
export const beginAccess = async (story: Story, scene: Scene) => {
  const { running, says, step } = story;
  const { commands, store } = running.core;
  const { addonId, strangerId } = scene;
  const subject = await activate(story, scene);
  const ownSubject = await approve(story, scene, subject);
  const first = await exchange(story, scene, await codeFor(story, scene, subject));
  const { grantId = '' } = commands.verifyAccessToken(first.accessToken) ?? {};
  const pair = await refreshOften(story, scene, grantId, first.refreshToken);
  const token = { addonId, token: pair.accessToken, audiences: [] };
  const claims = await step('a token is introspected', () => commands.introspectToken(token));
  expect(claims).toMatchObject({ kind: 'access', rotation: 16 });
  await running.settled();
  await says('and opens a list', () => running.list(pair.accessToken), 200);
  await says('a stranger is refused', () => refreshBy(story, strangerId, pair.refreshToken), {
    ok: false,
    refusal: 'token-of-another-client',
  });
  const [newest] = await store.readEnd(grantStream(grantId), 'last', 1);
  expect(newest?.event.type).toBe('RefreshRejected');
  await says('a token is revoked', async () => (await commands.revokeToken(token)).ok, true);
  await says('and opens nothing', () => running.list(pair.accessToken), 401);
  const last = await refresh(story, scene, pair.refreshToken);
  const shown = await step('the grant is shown', () => commands.showGrant(grantId));
  expect(shown).toMatchObject({ state: 'active', addonId });
  const own = await exchange(story, scene, await codeFor(story, scene, ownSubject));
  return { grantId, refreshToken: last.refreshToken, own, code: await codeFor(story, scene, subject) };
};

export type Access = Awaited<ReturnType<typeof beginAccess>>;

export const goOnWithAccess = async (
  story: Story,
  scene: Scene,
  { grantId, refreshToken, own, code }: Access,
  first: Running,
) => {
  const { running, done, says, step } = story;
  const { commands, store } = running.core;
  const { organizationId, userId, addonId } = scene;
  const pair = await refresh(story, scene, refreshToken);
  const token = { addonId, token: pair.refreshToken, audiences: [] };
  const claims = await step('a token is introspected', () => commands.introspectToken(token));
  expect(claims).toMatchObject({ kind: 'refresh', rotation: 18 });
  await says('a list opens', () => running.list(pair.accessToken), 200);
  const other = await exchange(story, scene, code);
  const { grantId: otherId = '' } = commands.verifyAccessToken(other.accessToken) ?? {};
  const once = await refresh(story, scene, other.refreshToken);
  const again = await done('an answer that was lost is given again by another instance', () =>
    refreshBy({ running: first }, addonId, other.refreshToken),
  );
  expect(again).toMatchObject({ accessToken: once.accessToken, refreshToken: once.refreshToken });
  await done('its grant is revoked', () => commands.revokeGrant({ grantId: otherId }));
  await says('and opens nothing', () => running.list(other.accessToken), 401);
  const owned = await refresh(story, scene, own.refreshToken);
  await done('consent is withdrawn', () => commands.withdrawConsent({ userId, addonId }));
  await says('which ends the grant', () => running.list(owned.accessToken), 401);
  const activation = { organizationId, addonId, by: userId, sessionId: null };
  await done('the add-on is deactivated', () => commands.deactivateAddon(activation));
  await says('which ends the grant', () => running.list(pair.accessToken), 401);
  await running.settled();
  const [newest] = await store.readEnd(grantStream(grantId), 'last', 1);
  expect(newest?.event).toMatchObject({ type: 'GrantRevoked', data: { reason: 'addon-deactivated' } });
  await done('it is activated again', () => commands.activateAddon(activation));
  const subject = await activated(story, scene);
  const next = await exchange(story, scene, await codeFor(story, scene, subject));
  await says('and opens a list', () => running.list(next.accessToken), 200);
};
