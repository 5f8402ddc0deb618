import { afterAll, describe, expect, test } from 'vitest';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, password, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';

const http = await startHttpApp();
const scene = await setScene(http);
afterAll(() => http.close());

const person = async (name: string, ...roles: readonly ('auditor' | 'operator')[]) => {
  const email = `${name}@home.example`;
  await createUser(http, email, [], { roles, auditorOf: [] });
  return signedIn(http, { email });
};

describe('PG-02: the frame of every page', () => {
  test('the name in the bar leads to where the role works', async () => {
    const to = async (browser: ReturnType<typeof testBrowser>) => (await browser.get('/')).headers.location;
    expect(await to(testBrowser(http.app))).toBe('/sign-in?return_to=%2F');
    expect(await to(await person('ben'))).toBe('/account');
    expect(await to(await person('olive', 'operator'))).toBe('/operator');
    expect(await to(await signedIn(http, scene))).toBe('/admin');
  });

  test('FX-62: a sign-in without a destination, and a page that is not for somebody, lead there, too', async () => {
    const browser = testBrowser(http.app);
    const page = await browser.get('/sign-in');
    await createUser(http, 'bert@home.example');
    const answer = await browser.press(page, 'Sign in', { email: 'bert@home.example', password });
    expect(answer.headers.location).toBe('/');
    expect((await browser.get('/')).headers.location).toBe('/account');
    for (const closed of ['/operator', '/audit', '/publisher']) {
      const { statusCode, body } = await browser.get(closed);
      expect([statusCode, /<a [^>]*href="([^"]*)">Start page</.exec(body)?.[1]]).toEqual([403, '/']);
    }
  });

  test('with several roles it asks, and the browser remembers the answer, which can be changed', async () => {
    const browser = await person('audrey', 'auditor', 'operator');
    const page = await browser.get('/');
    expect(page.statusCode).toBe(200);
    const fieldsOf = (body: string) => ({ csrf: /name="csrf" value="([^"]*)"/.exec(body)?.[1] ?? '' });
    expect((await browser.post('/', { ...fieldsOf(page.body), home: 'operator' })).headers.location).toBe(
      '/operator',
    );
    expect((await browser.get('/')).headers.location).toBe('/operator');
    const { body } = await browser.get('/?choose');
    expect(body).toMatch(/value="audit"\s+class="plain"/);
    const foreign = await browser.post('/', { ...fieldsOf(body), home: 'organizations' });
    expect(foreign.headers.location, 'not a role of theirs').toBe('/account');
    expect((await browser.get('/')).headers.location).toBe('/operator');
    expect((await browser.post('/', { csrf: 'x', home: 'audit' })).statusCode).toBe(403);
  });

  test('the bar has the areas of the user’s roles, with the current one marked, and pages say where they are', async () => {
    const olive = await person('oscar', 'operator');
    const { body } = await olive.get('/operator/users');
    const bar = /<nav class="areas"[^]*?<\/nav>/.exec(body)?.[0] ?? '';
    expect([...bar.matchAll(/>([^<]+)<\/a>/g)].map(([, label]) => label)).toEqual([
      'Your account',
      'Operator',
      'API reference',
    ]);
    expect(bar).toMatch(/href="\/operator"\s+aria-current="true"/);
    expect(body).toMatch(
      /<nav class="tabs" aria-label="Operator">[^]*href="\/operator\/users" aria-current="page">/,
    );
    expect(body).toContain('<a class="skip" href="#content">');
    expect((await olive.get('/sign-out')).body, 'a page that only asks leads to no area').not.toContain(
      'class="areas"',
    );
    const refused = await olive.get('/audit');
    expect([refused.statusCode, refused.body.includes('class="areas"')]).toEqual([403, true]);
  });
});
