import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { encrypt } from '../../src/common/aes-gcm.ts';
import { mintCredential } from '../../src/commands/credentials/credentials.ts';
import { newSalt } from '../../src/commands/credentials/secrets.ts';
import { makeNewId } from '../../src/commands/kernel/new-id.ts';
import type { EventType } from '../../src/domain/events.ts';
import { accountPerson } from '../../src/domain/personal-data.ts';
import {
  accountStream,
  activationStream,
  addonStream,
  consentStream,
  grantStream,
} from '../../src/domain/streams.ts';
import { fixtures } from '../eventstore/codec/fixtures.ts';
import { makeCast, run, type Running } from '../operations/running.ts';
import { valueOf } from '../support/outcomes.ts';
import { challenge, verifier } from '../support/scenes/grants.ts';
import { startTestServers } from '../support/test-servers.ts';

const redirectUri = 'https://addon.example/cb';
const known = ['openid', 'profiles:read'];
/** With a scope that only the newer version knows. */
const scopes = [...known, 'doors:open'];
/** A field that only the newer version knows. */
const dpop = { jkt: 'thumbprint' };

const startScene = async () => {
  const { node, stores } = await startTestServers();
  const newer = EventStoreDBClient.connectionString(node.url);
  afterAll(() => newer.dispose());
  const start = async (atTheEnd: (end: () => Promise<void>) => void) => {
    const running = await run(stores);
    atTheEnd(() => running.stop());
    await running.workers.ready;
    return running;
  };
  /** Writes a stored example as the newer version would: changed, and with its field. */
  const append = (stream: string, type: EventType, changes: object) => {
    const { data } = fixtures.find((fixture) => fixture.type === type) ?? {};
    const metadata = { version: 1, region: 'eu' };
    return newer.appendToStream(stream, jsonEvent({ type, data: { ...data, ...changes, dpop }, metadata }));
  };
  const running = await start(afterAll);
  const cast = await makeCast(running.core);
  return { running, start, append, newer, cast, newId: makeNewId(Date.now) };
};

const scene = await startScene();

/** An add-on, its approval, and a code for it, all by the newer version. */
const issueCode = async () => {
  const { running, append, cast, newId } = scene;
  const { keys, now } = running.core;
  const { organizationId, userId } = cast;
  const [addonId, grantId, at] = [newId(), newId(), now()];
  const registered = { addonId, redirectUris: [redirectUri], allowedScopes: known, confidential: false };
  await append(addonStream(addonId), 'AddonRegistered', registered);
  await append(addonStream(addonId), 'AddonUpdated', {
    allowedScopes: scopes,
    redirectUris: null,
    configurationUrl: 'https://addon.example/',
  });
  const activation = { organizationId, addonId, epoch: 1, by: userId, at };
  await append(activationStream(organizationId, addonId), 'AddonActivated', activation);
  const approval = { userId, addonId, scopes, epoch: 1, at };
  await append(consentStream(organizationId, addonId), 'ScopesApproved', approval);
  const subject = { kind: 'organization', organizationId, epoch: 1 } as const;
  const code = { keyId: keys.current, salt: newSalt(), at, expiresAt: at + 60_000 };
  await append(grantStream(grantId), 'AuthorizationCodeIssued', {
    ...code,
    grantId,
    addonId,
    userId,
    scopes,
    redirectUri,
    resources: [],
    codeChallenge: challenge,
    subject: { ...subject, region: 'eu' },
    authentication: { acr: 'urn:acme:mfa', amr: ['pwd'], loa: 3 },
  });
  const text = mintCredential(keys, 'code', code, { grantId, rotation: 0, expiresAt: code.expiresAt });
  return { addonId, grantId, subject, code: text };
};

/** The next rotation of a grant, by the newer version. @returns its refresh token */
const rotate = async (grantId: string, rotation: number): Promise<string> => {
  const { running, append } = scene;
  const { keys, now } = running.core;
  const [at, expiresAt] = [now(), now() + 3_600_000];
  const pair = { keyId: keys.current, salt: newSalt() };
  await append(grantStream(grantId), 'TokensRefreshed', {
    ...pair,
    rotation,
    scopes,
    resources: null,
    at,
    accessExpiresAt: expiresAt,
    refreshIdleExpiresAt: expiresAt,
    graceUntil: at + 30_000,
    counts: { rejections: 0, hour: { began: at, rotations: rotation, burst: 2 }, proofs: 1 },
  });
  return mintCredential(keys, 'refresh', pair, { grantId, rotation, expiresAt });
};

const refresh = async ({ core }: Running, addonId: string, refreshToken: string) =>
  valueOf(await core.commands.refreshToken({ addonId, refreshToken, scopes: null, resources: null }));

test('FX-39: fields and scopes that only a newer version knows are left out, and hold up nothing', async () => {
  const { running, start, cast } = scene;
  const { organizationId, userId } = cast;
  const { commands } = running.core;
  const { addonId, grantId, subject, code } = await issueCode();
  expect((await commands.currentAddon(addonId))?.allowedScopes).toEqual(known);
  const asked = { userId, addonId, subject };
  expect((await commands.rememberedScopes(asked)).scopes).toEqual(known);
  const first = valueOf(
    await commands.exchangeCode({ addonId, code, redirectUri, codeVerifier: verifier, resources: null }),
  );
  expect([first.scopes, first.identity?.authentication]).toEqual([
    known,
    { acr: 'urn:acme:mfa', amr: ['pwd'] },
  ]);
  const second = await refresh(running, addonId, first.refreshToken);
  const third = await refresh(running, addonId, await rotate(grantId, 2));
  const fresh = await start(onTestFinished); // nothing is cached
  const fourth = await refresh(fresh, addonId, await rotate(grantId, 4));
  expect([second, third, fourth].map((pair) => pair.scopes)).toEqual([known, known, known]);
  await fresh.settled();
  expect(await fresh.list(fourth.accessToken)).toBe(200);
  expect((await fresh.core.readModels.addons()).find((addon) => addon.addonId === addonId)).toMatchObject({
    allowedScopes: known,
  });
  await commands.approveScopes({ ...asked, scopes: ['openid'] });
  valueOf(await fresh.core.commands.updateAddon({ addonId, scopes: ['openid'] }));
  valueOf(await fresh.core.commands.deactivateAddon({ organizationId, addonId, by: userId }));
  for (const instance of [running, fresh]) expect(await instance.list(fourth.accessToken)).toBe(401);
});

test('FX-39: a personal field that only a newer version knows holds up no sign-in', async () => {
  const { running, newer } = scene;
  const { commands, personal } = running.core;
  const account = { email: 'ada@example.com', password: 'correct horse battery staple' };
  const made = await commands.createUser({ ...account, name: 'Ada', administratorOf: [], roles: [] });
  const { userId } = valueOf(made);
  const { keyId, key } = await personal.keys.of(accountPerson(userId));
  if (!key) throw new Error('the key of the user is there');
  const [stream, type] = [accountStream(userId), 'PreferencesChosen'];
  const chosen = { language: 'de', timeZone: 'Europe/Vienna', theme: 'dark' };
  const sealed = encrypt(key, `${stream}\n${type}`, Buffer.from(JSON.stringify(chosen)));
  const data = { at: 1, personal: { key: keyId, sealed: sealed.toString('base64url') } };
  await newer.appendToStream(stream, jsonEvent({ type, data, metadata: { version: 1, maySkip: true } }));
  const { session } = valueOf(await commands.signIn({ ...account, from: null }));
  expect(session).toMatchObject({ language: 'de', timeZone: 'Europe/Vienna' });
  valueOf(await commands.disableUser(userId));
  valueOf(await commands.enableUser(userId));
});
