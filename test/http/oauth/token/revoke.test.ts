import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lists } from '../../../../src/http/lists/lists.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { EventStoreUnavailable } from '../../../../src/eventstore/event-store.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import { listWith, setScene, type Scene, type Tokens } from '../../../support/scenes/http-scene.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import {
  basic,
  obtainTokensOf,
  present,
  presentAs,
  refreshOf,
} from '../../../support/scenes/presented-tokens.ts';

const asUser = { subject: 'user' };

let down = false;
const inner = memoryStore();
const http = await startPlugins([lists, tokenEndpoints], {
  store: {
    ...inner,
    append: async (...given) => {
      if (down) throw new EventStoreUnavailable('the event store is away');
      return inner.append(...given);
    },
  },
});
const open = await setScene(http);
const secretive = await setScene(http, { name: 'Books & Keys', confidential: true });
afterAll(() => http.close());

const revoke = (scene: Scene, token: string, more: Readonly<Record<string, string>> = {}) =>
  presentAs(http, '/oauth/revoke', scene, { token, ...more });
const listed = async (token: string) => (await listWith(http, '/profiles', token)).statusCode;

describe('the request', () => {
  test('RV-01: without a token is invalid_request', async () => {
    for (const token of [{}, { token: '' }]) {
      const answer = await presentAs(http, '/oauth/revoke', open, token as Record<string, string>);
      expect([answer.statusCode, answer.json()]).toEqual([
        400,
        { error: 'invalid_request', error_description: 'token is missing' },
      ]);
    }
  });

  test('RV-01: what is no token is answered like one that was revoked: 200, empty, not to be kept', async () => {
    for (const token of ['x', 'mkt_at_x', 'mkt_rt_x', 'mkt_code_x', 'x'.repeat(5000)]) {
      const answer = await revoke(open, token);
      expect([answer.statusCode, answer.body]).toEqual([200, '']);
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    }
  });

  test('other methods answer 405 with Allow', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const answer = await http.app.inject({ method, url: '/oauth/revoke?token=x' });
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    }
  });

  test('a token in the address is invalid_request', async () => {
    const url = `/oauth/revoke?token=x&client_id=${open.clientId}`;
    const address = await http.app.inject({ method: 'POST', url });
    expect([address.statusCode, address.json().error]).toEqual([400, 'invalid_request']);
  });

  test('TK-11: an add-on in a browser may give its tokens back', async () => {
    const origin = 'https://addon.example';
    const preflight = { method: 'OPTIONS', url: '/oauth/revoke', headers: { origin } } as const;
    const asked = await http.app.inject(preflight);
    expect(asked.headers['access-control-allow-origin']).toBe(origin);
    const fields = { token: 'x', client_id: open.clientId };
    const done = await present(http.app, '/oauth/revoke', fields, { origin });
    expect(done.headers['access-control-allow-origin']).toBe(origin);
  });
});

describe('who calls', () => {
  let tokens: Tokens;
  beforeEach(async () => void (tokens = await obtainTokensOf(http, secretive, asUser)));

  test('RV-02: a confidential add-on proves itself, by Basic or in the body', async () => {
    const { clientId: client_id } = secretive;
    const client_secret = secretive.clientSecret ?? '';
    const fields = { token: tokens.refresh_token };
    const post = (more: Record<string, string>, headers = {}) =>
      present(http.app, '/oauth/revoke', { ...fields, ...more }, headers);
    const refused = await Promise.all([
      post({ client_id }),
      post({ client_id, client_secret: 'x' }),
      post({}, basic(client_id, 'x')),
      post({ client_id: '01JZZZZZZZZZZZZZZZZZZZZZZX' }),
    ]);
    expect(refused.map((answer) => [answer.statusCode, answer.json().error])).toEqual(
      refused.map(() => [401, 'invalid_client']),
    );
    expect(refused[2]?.headers['www-authenticate']).toMatch(/^Basic realm=/);
    expect((await post({})).json().error).toBe('invalid_request');
    expect(await listed(tokens.access_token)).toBe(200);
    expect((await post({ client_id, client_secret })).statusCode).toBe(200);
    expect(await listed(tokens.access_token)).toBe(401);
  });

  test('RV-03: the token of another add-on is invalid_grant and lives on', async () => {
    for (const token of [tokens.refresh_token, tokens.access_token]) {
      const answer = await revoke(open, token);
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant']);
      expect(answer.body).not.toContain(token);
    }
    expect(await listed(tokens.access_token)).toBe(200);
    expect((await refreshOf(http, secretive, tokens.refresh_token)).statusCode).toBe(200);
  });

  test('AD-02: with the secret before the last and the newest, until the old one is removed', async () => {
    const scene = await setScene(http, { confidential: true });
    const [first] = (await http.commands.listAddonSecrets(scene.clientId)) ?? [];
    const added = await http.commands.addAddonSecret(scene.clientId);
    const newest = { ...scene, clientSecret: added.ok ? added.value.clientSecret : '' };
    const statuses = async () => [
      (await revoke(scene, 'x')).statusCode,
      (await revoke(newest, 'x')).statusCode,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await http.commands.removeAddonSecret({ addonId: scene.clientId, secretId: first?.secretId ?? '' });
    expect(await statuses()).toEqual([401, 200]);
  });
});

describe('what is revoked', () => {
  test('RV-05, RV-06: a refresh token takes its family along, at the next call', async () => {
    const first = await obtainTokensOf(http, open, asUser);
    const second = (await refreshOf(http, open, first.refresh_token)).json<Tokens>();
    expect((await revoke(open, first.refresh_token)).statusCode).toBe(200);
    expect([await listed(first.access_token), await listed(second.access_token)]).toEqual([401, 401]);
    const refreshed = await refreshOf(http, open, second.refresh_token);
    expect([refreshed.statusCode, refreshed.json().error]).toEqual([400, 'invalid_grant']);
  });

  test.each(['access_token', 'refresh_token', 'id_token', 'nonsense'])(
    'RV-04, RV-05: an access token goes alone, whatever the hint: %s',
    async (token_type_hint) => {
      const first = await obtainTokensOf(http, open, asUser);
      const second = (await refreshOf(http, open, first.refresh_token)).json<Tokens>();
      expect((await revoke(open, first.access_token, { token_type_hint })).statusCode).toBe(200);
      const refused = await listWith(http, '/profiles', first.access_token);
      expect([refused.statusCode, refused.json().type]).toEqual([
        401,
        `${http.baseUrl}/problems/token-revoked`,
      ]);
      expect(await listed(second.access_token)).toBe(200);
      expect((await refreshOf(http, open, second.refresh_token)).statusCode).toBe(200);
      await revoke(open, second.refresh_token, { token_type_hint });
      expect((await refreshOf(http, open, second.refresh_token)).statusCode).toBe(400);
    },
  );

  test('RV-01, RV-07: a second time is 200 and no event', async () => {
    const tokens = await obtainTokensOf(http, open, asUser);
    const revokeBoth = async () => [
      (await revoke(open, tokens.access_token)).statusCode,
      (await revoke(open, tokens.refresh_token)).statusCode,
    ];
    expect(await revokeBoth()).toEqual([200, 200]);
    const head = await http.store.head();
    expect(await revokeBoth()).toEqual([200, 200]);
    expect(await http.store.head()).toEqual(head);
  });
});

describe('without the event store', () => {
  beforeEach(() => void (down = true));
  afterEach(() => void (down = false));

  test('RV-08, G-07: 503 with Retry-After, and the token lives on', async () => {
    down = false;
    const tokens = await obtainTokensOf(http, open, asUser);
    down = true;
    for (const token of [tokens.refresh_token, tokens.access_token]) {
      const answer = await revoke(open, token);
      expect([answer.statusCode, answer.json().error]).toEqual([503, 'temporarily_unavailable']);
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    }
    expect(await listed(tokens.access_token)).toBe(200);
    down = false;
    expect((await revoke(open, tokens.refresh_token)).statusCode).toBe(200);
    expect(await listed(tokens.access_token)).toBe(401);
  });
});
