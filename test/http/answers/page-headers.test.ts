import type { LightMyRequestResponse } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { templatesOf } from '../../support/documents/registered-routes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { activate, authorizeUrl, password, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { formsOf } from '../../support/scenes/pages.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

/** A page that names our script allows scripts of this server, and no other page allows any. */
const expectProtected = (what: string, { headers, body }: LightMyRequestResponse) => {
  expect([what, headers]).toEqual([
    what,
    expect.objectContaining({
      'cache-control': expect.stringMatching(/^no-store(, no-transform)?$/),
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'permissions-policy': expect.stringMatching(/camera=\(\).*geolocation=\(\)/),
      'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'/),
    }),
  ]);
  const policy = String(headers['content-security-policy']);
  const scripts = body.match(/<script[^]*?<\/script>/g) ?? [];
  expect(policy).not.toMatch(/unsafe|\*/);
  expect(policy.match(/script-src[^;]*/)?.[0]).toBe(scripts.length > 0 ? "script-src 'self'" : undefined);
  for (const script of scripts)
    expect(script).toMatch(/^<script src="\/assets\/(?:page|passkeys)-\w+\.js" defer><\/script>$/);
};

let isAway = false;
const http = await startHttpApp({
  around: (needs) => ({
    ...needs,
    commands: {
      ...needs.commands,
      readSession: (cookie) => {
        if (isAway) throw new EventStoreUnavailable('away');
        return needs.commands.readSession(cookie);
      },
    },
  }),
});
await http.app.ready();
const scene = await setScene(http);
await activate(http, scene);
const ada = await signedIn(http, scene);
afterAll(() => http.close());

describe('AZ-08: headers of every answer to a browser', () => {
  /** A path belongs to the pages when it tells people so that a method is not offered. */
  const pagePaths = async () => {
    const found: string[] = [];
    for (const template of templatesOf(http.app)) {
      const url = template
        .replace('{organization_id}', scene.organizationId)
        .replace('{client_id}', scene.clientId)
        .replaceAll(/\{\w+\}/g, 'x');
      const refused = await http.app.inject({ method: 'PATCH', url });
      if (!String(refused.headers['content-type']).startsWith('text/html')) continue;
      expectProtected(`PATCH ${url}`, refused);
      found.push(url);
    }
    return found;
  };

  test('pages, redirects between them, refusals: on every path that is routed', async () => {
    const paths = await pagePaths();
    expect(paths).toEqual(
      expect.arrayContaining(['/', '/admin', '/sign-in', '/sign-out', '/oauth/authorize/decision']),
    );
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const cookies = Object.fromEntries(ada.cookies);
    for (const url of paths)
      for (const who of [{}, cookies]) {
        const what = `${url} ${Object.keys(who).length > 0 ? 'signed in' : 'a stranger'}`;
        expectProtected(`GET ${what}`, await http.app.inject({ url, cookies: who }));
        const sent = { method: 'POST', url, cookies: who } as const;
        expectProtected(`POST ${what}`, await http.app.inject({ ...sent, headers: form, payload: 'csrf=x' }));
        expectProtected(`POST JSON ${what}`, await http.app.inject({ ...sent, payload: { csrf: 'x' } }));
      }
  });

  test('the pages of a flow, and what ends it', async () => {
    const page = await ada.get(authorizeUrl(scene, { prompt: 'consent' }));
    expectProtected('approval', page);
    const [form] = formsOf(page.body);
    expectProtected('half an answer', await ada.post(form?.action ?? '', form?.fields ?? {}));
    const switched = await ada.press(page, 'Not you?');
    expect(switched.statusCode).toBe(303);
    expectProtected('not you', switched);
    const signIn = await ada.follow(switched);
    expectProtected(
      'wrong password',
      await ada.press(signIn, 'Sign in', { email: 'a@b.example', password: 'x' }),
    );
    await ada.signIn(scene.email, password);
  });

  test('a form that is too large, and a service that is away', async () => {
    expectTrouble(/^warn: request failed: temporarily unavailable/);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const large = {
      method: 'POST',
      url: '/sign-in',
      headers,
      payload: `email=${'a'.repeat(70_000)}`,
    } as const;
    const tooLarge = await http.app.inject(large);
    expect(tooLarge.statusCode).toBe(413);
    expectProtected('too large', tooLarge);
    isAway = true;
    const away = await ada.get('/admin');
    isAway = false;
    expect([away.statusCode, away.headers['retry-after']]).toEqual([503, '2']);
    expectProtected('away', away);
  });

  test('AZ-43: on the way to an add-on neither form-action nor COOP stands in the way; elsewhere both do', async () => {
    const wayOut = await ada.get(authorizeUrl(scene, { prompt: 'consent' }));
    expect(wayOut.headers['content-security-policy']).not.toContain('form-action');
    expect(wayOut.headers).not.toHaveProperty('cross-origin-opener-policy');
    const stays = await ada.get('/sign-out');
    expect(stays.headers['content-security-policy']).toContain("form-action 'self'");
    expect(stays.headers['cross-origin-opener-policy']).toBe('same-origin');
  });
});
