import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { userInfo } from '../../../../src/http/oauth/identity/plugin.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { verifier } from '../../../support/scenes/grants.ts';
import {
  activate,
  listWith,
  obtainCode,
  postToken,
  redirectUri,
  setScene,
  type Scene,
} from '../../../support/scenes/http-scene.ts';
import { startPlugins, type PluginApp } from '../../../support/scenes/plugin-app.ts';
import { credentialsOf, presentAs, refreshOf } from '../../../support/scenes/presented-tokens.ts';

type Tokens = { access_token: string; refresh_token: string; id_token: string; organization_id?: string };

let http: PluginApp;
let scene: Scene;
let resourceServer: Scene;
beforeAll(async () => {
  http = await startPlugins([tokenEndpoints, userInfo]);
  scene = await setScene(http, { confidential: true, allowedScopes: ['openid', 'profiles:read'] });
  const server = { confidential: true, grantTypes: [], redirectUris: [], audiences: [http.baseUrl] } as const;
  resourceServer = await setScene(http, server);
  await activate(http, scene);
});
afterAll(() => http.close());

const tokensOf = async (subject: string, by = scene): Promise<Tokens> => {
  const code = await obtainCode(http, by, { subject, change: { scope: 'openid profiles:read' } });
  const form = { grant_type: 'authorization_code', redirect_uri: redirectUri, code_verifier: verifier };
  return (await postToken(http.app, { ...form, code }, credentialsOf(by).headers)).json<Tokens>();
};
const ofOrganization = (by = scene) => tokensOf(`organization:${by.organizationId}`, by);

const answersFor = async (tokens: Tokens) => ({
  exchanged: tokens,
  refreshed: (await refreshOf(http, scene, tokens.refresh_token)).json<Tokens>(),
  idToken: decodeJwt(tokens.id_token),
  userInfo: (await listWith(http, '/oauth/userinfo', tokens.access_token)).json<object>(),
  introspected: (
    await presentAs(http, '/oauth/introspect', scene, { token: tokens.access_token })
  ).json<object>(),
});

const members = ['organization_id', 'organization_name', 'external_id', 'org_id'];
const membersIn = (answer: object) =>
  Object.fromEntries(Object.entries(answer).filter(([name]) => members.includes(name)));

describe('AP-01: for whom a token is', () => {
  test('an organization’s: its id everywhere, its names only where the add-on asks itself', async () => {
    const { organizationId } = scene;
    await http.commands.updateOrganization({ organizationId, name: 'Quay Club' });
    await http.commands.updateOrganization({ organizationId, externalId: 'harbour/1' });
    const id = { organization_id: organizationId };
    const named = { ...id, organization_name: 'Quay Club', external_id: 'harbour/1' };
    const answers = await answersFor(await ofOrganization());
    expect(membersIn(answers.exchanged)).toEqual(id);
    expect(membersIn(answers.refreshed)).toEqual(id);
    expect(membersIn(decodeJwt(answers.refreshed.id_token))).toEqual(id);
    expect(membersIn(answers.idToken)).toEqual(id);
    expect(membersIn(answers.userInfo)).toEqual(named);
    expect(membersIn(answers.introspected)).toEqual({ ...named, org_id: organizationId });
  });

  test('a user’s own: nothing about organizations', async () => {
    for (const answer of Object.values(await answersFor(await tokensOf('user'))))
      expect(membersIn(answer)).toEqual({});
  });

  test('the add-on’s own: nothing either', async () => {
    const form = { grant_type: 'client_credentials', scope: 'ssf.read' };
    const answer = (await postToken(http.app, form, credentialsOf(scene).headers)).json<Tokens>();
    const { access_token: token } = answer;
    const introspected = (await presentAs(http, '/oauth/introspect', scene, { token })).json<object>();
    expect([membersIn(answer), membersIn(introspected)]).toEqual([{}, {}]);
  });

  test('a resource server learns the id and no name', async () => {
    const { access_token: token } = await ofOrganization();
    const answer = (await presentAs(http, '/oauth/introspect', resourceServer, { token })).json<object>();
    const { organizationId } = scene;
    expect(answer).toMatchObject({ active: true });
    expect(membersIn(answer)).toEqual({ organization_id: organizationId, org_id: organizationId });
  });

  test('without an external id there is none', async () => {
    const other = await setScene(http, { confidential: true, allowedScopes: ['openid', 'profiles:read'] });
    await activate(http, other);
    const { access_token: token } = await ofOrganization(other);
    const answer = (await presentAs(http, '/oauth/introspect', other, { token })).json<object>();
    expect(Object.keys(membersIn(answer))).toEqual(['organization_id', 'org_id', 'organization_name']);
  });
});
