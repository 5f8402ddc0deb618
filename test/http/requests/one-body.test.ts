import type { LightMyRequestResponse } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { tokenEndpoints } from '../../../src/http/oauth/token/plugin.ts';
import { exchangeAnswers, refreshAnswers } from '../../../src/http/oauth/token/token-answers.ts';
import { verifier } from '../../support/scenes/grants.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';
import {
  activate,
  deactivate,
  exchange,
  obtainCode,
  obtainTokens,
  postToken,
  redirectUri,
  refreshWith,
  setScene,
} from '../../support/scenes/http-scene.ts';

/** What the endpoints of add-ons say when they refuse: in whose words, and how little. */

const http = await startPlugins([tokenEndpoints]);
const scene = await setScene(http);
const other = await setScene(http, { confidential: true });
afterAll(() => http.close());

const asUser = { subject: 'user' };
const raw = ({ statusCode, headers, body }: LightMyRequestResponse) =>
  `${statusCode} ${String(headers['content-type'])} ${String(headers.location)} ${body}`;

describe('TK-10: one byte-identical body', () => {
  test('for every refusal that there is a word for, except a scope, a resource, a suspension, a limit or a closed stream', () => {
    const {
      'scope-too-wide': _scope,
      'addon-suspended': _suspended,
      'rotated-too-often': _limited,
      'on-hold': _onHold,
      ...refused
    } = { ...refreshAnswers, ...exchangeAnswers };
    const invalidGrants = Object.values(refused).filter(({ error }) => error === 'invalid_grant');
    expect(new Set(invalidGrants.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(new Set(Object.values(refused).map(({ error }) => error)).size).toBeLessThanOrEqual(2);
    expect(invalidGrants.length).toBeGreaterThanOrEqual(14);
  });

  test('for codes and refresh tokens that are unknown, malformed, used, expired, foreign, revoked or of a deactivated activation', async () => {
    const theirs = await setScene(http);
    await activate(http, theirs);
    const forOrganization = { subject: `organization:${theirs.organizationId}` };
    const unused = await obtainCode(http, theirs, forOrganization);
    const deactivated = await obtainTokens(http, theirs, forOrganization);
    await deactivate(http, theirs);

    const used = await obtainCode(http, scene, asUser);
    await exchange(http, scene, used);
    const revoked = await obtainTokens(http, scene, asUser);
    await http.commands.revokeToken({ addonId: scene.clientId, token: revoked.refresh_token });
    const foreign = await obtainTokens(http, scene, asUser);
    const foreignCode = await obtainCode(http, scene, asUser);
    const old = await obtainCode(http, scene, asUser);
    const oldTokens = await obtainTokens(http, scene, asUser);
    const answers = [
      await exchange(http, scene, 'mkt_code_unknown'),
      await exchange(http, scene, '\u0000'),
      await exchange(http, scene, used),
      await exchange(http, theirs, unused),
      await exchange(http, theirs, foreignCode),
      await refreshWith(http, scene, 'mkt_rt_unknown'),
      await refreshWith(http, scene, used),
      await refreshWith(http, scene, revoked.refresh_token),
      await refreshWith(http, theirs, deactivated.refresh_token),
      await refreshWith(http, theirs, foreign.refresh_token),
    ];
    http.advance(366 * 86_400_000);
    answers.push(await exchange(http, scene, old), await refreshWith(http, scene, oldTokens.refresh_token));
    expect(new Set(answers.map(raw)).size).toBe(1);
    expect(raw(answers[0] as LightMyRequestResponse)).toMatch(/^400 .* undefined .*"error":"invalid_grant"/);
  });
});

describe('G-01: error bodies', () => {
  /** RFC 6749 §5.2, RFC 8707 §2, and two of RFC 6749 §4.1.2.1 for what is no fault of the client (G-07). */
  const registered =
    /^(invalid_(request|client|grant|scope|target)|unauthorized_client|unsupported_grant_type|temporarily_unavailable|server_error)$/;
  const post = (url: string, type: string, payload: string, headers: Record<string, string> = {}) =>
    http.app.inject({ method: 'POST', url, headers: { 'content-type': type, ...headers }, payload });
  const form = 'application/x-www-form-urlencoded';

  test.each(['/oauth/token', '/oauth/revoke', '/oauth/introspect'])(
    'of %s are JSON, in registered words and the alphabet of RFC 6749 A.8',
    async (url) => {
      const client = `client_id=${other.clientId}&client_secret=${other.clientSecret}`;
      const answers = [
        await http.app.inject({ method: 'GET', url }),
        await http.app.inject({ method: 'TRACE' as 'GET', url }),
        await post(url, 'application/json', '{}'),
        await post(url, form, 'x='.padEnd(100_000, 'x')),
        await post(url, form, ''),
        await post(url, form, `${client}&client_id=x`),
        await post(url, form, `client_id=${other.clientId}&client_secret="\\`),
        await post(url, form, 'token=x', { authorization: 'Basic "' }),
        await post(url, form, `${client}&grant_type="\\%00`),
        await post(url, form, `${client}&grant_type=refresh_token&scope="&refresh_token=x`),
        await post(url, form, `${client}&grant_type=refresh_token&refresh_token=%22`),
      ].filter(({ statusCode }) => statusCode >= 400);
      expect(answers.length).toBeGreaterThanOrEqual(8);
      for (const { headers, body } of answers) {
        expect(headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/);
        const { error, error_description: description, ...more } = JSON.parse(body) as Record<string, string>;
        expect(error).toMatch(registered);
        expect(description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/);
        expect(more).toEqual({});
      }
    },
  );

  test('of trouble of ours, too', async () => {
    http.setTrusted(false);
    const answer = await postToken(http.app, {
      grant_type: 'authorization_code',
      client_id: scene.clientId,
      code: 'x',
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    http.setTrusted(true);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json().error).toMatch(registered);
  });
});
