import { createHmac } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { decrypt } from '../../../src/common/aes-gcm.ts';
import { pagesOf } from '../../support/documents/registered-routes.ts';
import { formOn, origin, send, startWithEveryForm, type Sent } from '../../support/scenes/every-form.ts';
import { authorizeUrl, exchange, password, returned } from '../../support/scenes/http-scene.ts';
import { forgetCookie, testBrowser, type TestBrowser } from '../../support/scenes/pages.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

const { http, other, store, statements, scene, newcomer, approval, decide, forms, make } =
  await startWithEveryForm();

const shown = ({ statusCode, headers, body, cookies }: LightMyRequestResponse) => ({
  statusCode,
  location: headers.location,
  body,
  cookies: cookies.map(({ name, value }) => `${name}=${value}`),
});

const keep = (browser: TestBrowser, answer: LightMyRequestResponse): void => {
  for (const { name, value } of answer.cookies)
    if (value === '') browser.cookies.delete(name);
    else browser.cookies.set(name, value);
};

/** Without fields that tell events apart. */
const eventsSince = (count: number): readonly string[] =>
  store
    .all()
    .slice(count)
    .map(({ event, stream }) => `${event.type} ${stream}`);

describe('FX-20: every form that is sent twice takes effect once, and its sender receives the first response again', () => {
  test('the forms of this test are those of our pages', async () => {
    const posts = (await pagesOf(http.app)).filter(({ method }) => method === 'POST');
    expect(forms.toSorted()).toEqual(posts.map(({ template }) => template).sort());
  });

  test.each(forms)('%s', async (template) => {
    const sent = await make(template);
    const address = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '\\w+')}$`);
    expect(new URL(sent.url, origin).pathname).toMatch(address);
    const before = store.all().length;
    const [first, second, elsewhere] = await Promise.all([
      send(sent, http.app),
      send(sent, http.app),
      send(sent, other),
    ]);
    expect([template, first.statusCode, first.body.slice(0, 2_000)]).toEqual([
      template,
      expect.toSatisfy((status: number) => status === 200 || status === 303),
      expect.anything(),
    ]);
    expect(shown(second)).toEqual(shown(first));
    expect(shown(elsewhere)).toEqual(shown(first));
    expect(new Set(eventsSince(before)).size).toBe(eventsSince(before).length);
    keep(sent.browser, first);
    const after = store.all().length;
    for (const app of [http.app, other]) expect(shown(await send(sent, app))).toEqual(shown(first));
    expect(store.all().length).toBe(after);
  });
});

const newTokenForm = async () => {
  const { browser, userId } = await newcomer([scene.organizationId]);
  const fields = { name: 'Backup', organization: scene.organizationId, days: '30' };
  return { userId, sent: await formOn(browser, '/account/tokens/new', '/account/tokens/new', fields) };
};
const newSignInForm = async (): Promise<Sent> => {
  const { email } = await newcomer();
  return formOn(testBrowser(http.app), '/sign-in', '/sign-in', { email, password });
};
const tokenIn = (html: string) => /mkt_admin_[\w.-]+/.exec(html)?.[0];

describe('FX-20: a form', () => {
  test('that is sent 50 times at once to two instances takes effect once', async () => {
    const { userId, sent } = await newTokenForm();
    const allow = await decide('approve');
    for (const form of [sent, allow]) {
      const apps = Array.from({ length: 50 }, (_each, index) => (index % 2 === 0 ? http.app : other));
      const answers = await Promise.all(apps.map((app) => send(form, app)));
      expect(new Set(answers.map((answer) => JSON.stringify(shown(answer)))).size).toBe(1);
      expect(answers[0]?.statusCode).toBeLessThan(400);
    }
    expect(await http.commands.listAdministratorTokens(userId)).toHaveLength(1);
    expect(eventsSince(0).filter((event) => event.startsWith('AuthorizationCodeIssued')).length).toBe(
      new Set(eventsSince(0).filter((event) => event.startsWith('AuthorizationCodeIssued'))).size,
    );
  });

  test('"Allow" and "Do not allow": the add-on receives the same code, which works, or the same error', async () => {
    const answerTo = async (decision: string) => {
      const sent = await decide(decision);
      const [first, second] = [returned(await send(sent, http.app)), returned(await send(sent, other))];
      expect(second).toEqual(first);
      return second;
    };
    const { code = '' } = await answerTo('approve');
    expect((await exchange(http, scene, code)).statusCode).toBe(200);
    expect((await answerTo('deny'))['error']).toBe('access_denied');
  });

  test('costs one statement before and one after the response; a page costs none', async () => {
    const { sent } = await newTokenForm();
    const before = { ...statements };
    await sent.browser.get('/account');
    await sent.browser.get('/account/tokens/new');
    expect(statements).toEqual(before);
    await send(sent, http.app);
    expect(statements).toEqual({ ...before, claim: before.claim + 1, keep: before.keep + 1 });
  });

  test('that was refused can be sent again with other values, at a cost of one statement more', async () => {
    const { sent } = await newTokenForm();
    const before = { ...statements };
    const refused = { ...sent, fields: { ...sent.fields, days: '0' } };
    expect((await send(refused, http.app)).statusCode).toBe(400);
    expect(statements).toEqual({ ...before, claim: before.claim + 1, release: before.release + 1 });
    const done = await send(sent, other);
    expect([done.statusCode, tokenIn(done.body)]).toEqual([200, expect.any(String)]);
  });

  test('that took effect does nothing for other values, and says that it was sent', async () => {
    const { userId, sent } = await newTokenForm();
    const token = tokenIn((await send(sent, http.app)).body);
    const changed = { ...sent, fields: { ...sent.fields, name: 'Another' } };
    for (const app of [http.app, other]) {
      const answer = await send(changed, app);
      expect([answer.statusCode, answer.body]).toEqual([
        400,
        expect.stringContaining('This form has been sent before.'),
      ]);
      expect(answer.body).not.toContain(token);
    }
    expect(await http.commands.listAdministratorTokens(userId)).toHaveLength(1);
    const allow = await decide('approve');
    const code = returned(await send(allow, http.app))['code'];
    const deny = await send({ ...allow, fields: { ...allow.fields, decision: 'deny' } }, http.app);
    expect([deny.statusCode, deny.headers.location]).toEqual([400, undefined]);
    expect((await exchange(http, scene, code ?? '')).statusCode).toBe(200);
  });

  test('gives its first response to no other browser or session', async () => {
    const { sent } = await newTokenForm();
    const token = tokenIn((await send(sent, http.app)).body) ?? '';
    const stranger = (await newcomer()).browser;
    const allow = await decide('approve');
    await send(allow, http.app);
    const signIn = await newSignInForm();
    await send(signIn, http.app);
    for (const form of [sent, allow, signIn])
      for (const jar of [stranger, testBrowser(http.app)]) {
        const answer = await send({ ...form, browser: jar }, other);
        expect(answer.body).not.toContain(token);
        expect(String(answer.headers.location)).not.toContain('code=');
        expect(answer.cookies.filter(({ name }) => name.startsWith('grantbook_session'))).toEqual([]);
      }
  });

  test('signs nobody out again, or in: its first response is for the session before and after it', async () => {
    const signOut = await formOn((await newcomer()).browser, '/sign-out', '/sign-out');
    for (const form of [signOut, await newSignInForm()]) {
      keep(form.browser, await send(form, http.app));
      forgetCookie(form.browser, 'grantbook_session');
      await form.browser.signIn((await newcomer()).email, password);
      const answer = await send(form, http.app);
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect(answer.cookies.filter(({ name }) => name.startsWith('grantbook_session'))).toEqual([]);
    }
  });

  test('keeps no secret in clear: neither in a table, nor in the log of the program', async () => {
    const { sent } = await newTokenForm();
    const token = tokenIn((await send(sent, http.app)).body) ?? '';
    expect(tokenIn((await send(sent, other)).body)).toBe(token);
    const { rows } = await http.pool.query<{ line: string }>('select t::text as line from done_once t');
    const kept = rows.map(({ line }) => line).join('\n');
    expect(kept).toMatch(/form [\w-]{43}.*\\x[0-9a-f]{1000}/);
    for (const secret of [token, sent.fields['csrf'] ?? '', 'Backup'])
      for (const text of [secret, Buffer.from(secret).toString('hex')]) {
        expect(kept).not.toContain(text);
        expect(JSON.stringify(http.lines)).not.toContain(text);
      }
  });

  test('whose first request ended with its process is not done again', async () => {
    const { userId, sent } = await newTokenForm();
    const dead = http.another((needs) => ({
      ...needs,
      // The row of a form that was claimed, and whose response nobody kept.
      beginOnce: async (asked) => ({
        ...(await needs.beginOnce(asked)),
        answered: () => Promise.resolve(),
        refused: () => Promise.resolve(),
      }),
    }));
    await send(sent, dead);
    const late = http.another((needs) => ({ ...needs, formPatience: 100 }));
    expect((await send(sent, late)).body).toContain('This form has been sent before.');
    expect(await http.commands.listAdministratorTokens(userId)).toHaveLength(1);
  });

  test('takes effect although the database cannot mark it', async () => {
    expectTrouble(/a form could not be marked as sent .*no database/);
    const { sent } = await newTokenForm();
    const away = http.another((needs) => ({
      ...needs,
      beginOnce: () => Promise.reject(new Error('no database')),
    }));
    expect((await send(sent, away)).statusCode).toBe(200);
  });

  test('AZ-40: a double click on "Sign in" that leads to a remembered consent brings one code', async () => {
    const { browser, page, email } = await approval();
    await browser.press(page, 'Allow');
    const fresh = testBrowser(http.app);
    const sent = await formOn(fresh, authorizeUrl(scene), '/sign-in', { email, password });
    const [one, two] = await Promise.all([send(sent, http.app), send(sent, other)]);
    keep(fresh, one);
    expect(two.headers.location).toBe(one.headers.location);
    const next = (app: FastifyInstance) =>
      app.inject({ url: String(one.headers.location), cookies: Object.fromEntries(fresh.cookies) });
    const answers = await Promise.all([next(http.app), next(other)]);
    const codes = answers.map((answer) => returned(answer)['code']);
    expect(codes).toEqual([expect.stringMatching(/^mkt_code_/), codes[0]]);
    expect((await exchange(http, scene, codes[0] ?? '')).statusCode).toBe(200);
    const { rows } = await http.pool.query<{ id: string; response: Buffer }>(
      `select id, response from done_once where response <> ''`,
    );
    expect(rows.some(({ id }) => !id.startsWith('form '))).toBe(true);
    for (const { id, response } of rows)
      expect(decrypt(createHmac('sha256', id).update('response').digest(), id, response)).toBe(null);
  });
});
