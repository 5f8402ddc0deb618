import { idTokenAlgs } from '../../src/domain/addons/events.ts';
import {
  activate,
  authorizeUrl,
  obtainCode,
  obtainTokens,
  password,
  postToken,
  redirectUri,
  refreshWith,
  setScene,
  type Scene,
  type Tokens,
} from '../support/scenes/http-scene.ts';
import { verifier } from '../support/scenes/grants.ts';
import { testBrowser } from '../support/scenes/pages.ts';
import type { WholeService } from './whole-service.ts';

const out = 'https://addon.example/out';
const asking = { subject: 'user', change: { scope: 'openid profiles:read', nonce: 'n-0S6_WzA2Mj' } };

/** Who signed in, by every way of signing it; signing out; keys and secrets that take over from each other. */
export const tellOfIdentity = async (service: WholeService): Promise<void> => {
  const { http, signingKeys } = service;
  for (const idTokenAlg of idTokenAlgs) {
    const scene = await setScene(http, {
      idTokenAlg,
      allowedScopes: ['openid', 'profiles:read'],
      postLogoutRedirectUris: [out],
    });
    const tokens = (await obtainTokens(http, scene, asking)) as Identified;
    await signingKeys.rotate(idTokenAlg);
    await whoIsIt(service, tokens.access_token);
    await refreshWith(http, scene, tokens.refresh_token);
    await hints(service, scene, tokens.id_token);
    await signOut(service, scene, tokens.id_token);
  }
  await rotateSecret(service, await setScene(http, { confidential: true }));
};

type Identified = Tokens & { readonly id_token: string };

const whoIsIt = async ({ http }: WholeService, token: string): Promise<void> => {
  const ask = (query: string, headers: Record<string, string>, payload?: string) =>
    http.app.inject({
      method: payload === undefined ? 'GET' : 'POST',
      url: `/oauth/userinfo${query}`,
      headers,
      ...(payload !== undefined && { payload }),
    });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  await ask('', { authorization: `Bearer ${token}` });
  await ask('', { authorization: `Bearer ${token}x` });
  await ask(`?access_token=${token}`, {});
  await ask('', form, `access_token=${token}&access_token=${token}`);
  await ask('', { 'content-type': 'application/json' }, JSON.stringify({ access_token: token }));
};

const mangled = (idToken: string): string => `${idToken.slice(0, -6)}AAAAAA`;

const hints = async ({ http }: WholeService, scene: Scene, idToken: string): Promise<void> => {
  const browser = testBrowser(http.app);
  await browser.signIn(scene.email, password);
  for (const id_token_hint of [idToken, mangled(idToken)])
    await browser.get(authorizeUrl(scene, { ...asking.change, id_token_hint, prompt: 'none' }));
  await browser.get(authorizeUrl(scene, { id_token_hint: idToken, redirect_uri: 'https://evil.example/' }));
};

const signOut = async ({ http }: WholeService, scene: Scene, idToken: string): Promise<void> => {
  const url = (sent: Record<string, string>) => `/oauth/logout?${new URLSearchParams(sent).toString()}`;
  const right = { id_token_hint: idToken, post_logout_redirect_uri: out, state: 's' };
  const browser = testBrowser(http.app);
  await browser.get(url(right));
  await browser.signIn(scene.email, password);
  await browser.get(url({ ...right, id_token_hint: mangled(idToken) }));
  await browser.get(url({ ...right, post_logout_redirect_uri: 'https://evil.example/' }));
  await browser.get(`${url(right)}&id_token_hint=${idToken}`);
  await browser.post('/oauth/logout/confirm', { interaction: `forged.${'f'.repeat(43)}` });
  await browser.press(await browser.get(url({ client_id: scene.clientId })), 'Sign out');
  await browser.signIn(scene.email, password);
  const elsewhere = await testBrowser(http.app).post('/oauth/logout', right);
  await browser.get(elsewhere.headers.location ?? '');
  await browser.get(url(right));
};

const rotateSecret = async ({ http, secrets }: WholeService, scene: Scene): Promise<void> => {
  const { commands } = http;
  const { clientId: client_id, clientSecret } = scene;
  const old = clientSecret ?? '';
  secrets.add('client_secret', old);
  await activate(http, scene);
  const added = await commands.addAddonSecret(client_id);
  if (!added.ok) throw new Error(added.refusal);
  const { clientSecret: next, secretId } = added.value;
  secrets.add('client_secret', next);
  const code = await obtainCode(http, scene);
  const exchanging = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
  const exchanged = await postToken(http.app, { ...exchanging, client_id, client_secret: next });
  const { refresh_token } = exchanged.json<Tokens>();
  const [first] = (await commands.listAddonSecrets(client_id)) ?? [];
  await commands.removeAddonSecret({ addonId: client_id, secretId: first?.secretId ?? '' });
  await commands.removeAddonSecret({ addonId: client_id, secretId });
  for (const client_secret of [old, next])
    await postToken(http.app, { grant_type: 'refresh_token', refresh_token, client_id, client_secret });
};
