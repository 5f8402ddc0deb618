import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { english } from '../../../src/common/words.ts';
import { problemKinds, type ProblemKind } from '../../../src/http/answers/problems.ts';
import { refusalsIn } from '../../../src/http/docs/explanations.ts';
import { languages } from '../../../src/http/words/languages.ts';
import { readTutorial } from '../../../src/process/package-root.ts';
import { describedOperations } from '../../support/documents/described-operations.ts';
import { startHttpApp, type HttpApp } from '../../support/scenes/http-app.ts';
import { setScene, signedIn } from '../../support/scenes/http-scene.ts';

let http: HttpApp;
let docs: string;
/** Of Swagger UI, for each operation. */
let anchors: readonly string[];
beforeAll(async () => {
  http = await startHttpApp();
  docs = (await get('/docs')).body;
  anchors = (await describedOperations(http.app)).map(
    ({
      operation: {
        tags: [tag = ''],
        operationId,
      },
    }) => `/docs#/${encodeURIComponent(tag)}/${operationId}`,
  );
});
afterAll(() => http.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  http.app.inject({ method: 'GET', url, headers });
const found = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = '']) => value);
/** The names of those that a list shows. */
const problemsIn = (html: string) => found(html, /<a href="\/problems\/([^"]*)"/g);
const hrefsOf = (html: string) => found(html, /<(?:a|link)\b[^>]*href="([^"]*)"/g);
const kinds = Object.keys(problemKinds) as ProblemKind[];
const german = { 'accept-language': 'de-AT, en;q=0.5' };

describe('/openapi.json', () => {
  test('is for tools of any site, and is not sent again when it has not changed', async () => {
    const first = await get('/openapi.json');
    expect(first.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
    });
    expect(first.json().servers).toEqual([{ url: http.baseUrl }]);
    const again = await get('/openapi.json', { 'if-none-match': String(first.headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect((await get('/openapi.json', { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });
});

describe('/docs/connect-your-add-on', () => {
  const tutorial = readTutorial();
  const unescaped = (html: string) =>
    html
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');

  test('PG-13, FX-65: from the registration to signals, by curl, JavaScript and Python, as the tutorial that is run', async () => {
    const answer = await get('/docs/connect-your-add-on');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-security-policy']).not.toContain('script-src');
    const blocks = found(answer.body, /<pre><code>([^]*?)<\/code><\/pre>/g).map(unescaped);
    const [settings = '', ...steps] = blocks;
    expect(settings).toContain(`export ISSUER=${http.baseUrl} `);
    expect(steps.length).toBeGreaterThan(12);
    const lines = new Set(tutorial.split('\n'));
    expect(steps.flatMap((block) => block.split('\n')).filter((line) => !lines.has(line))).toEqual([]);
    for (const program of [/```js\n([^]*?)```/, /```python\n([^]*?)```/])
      expect(steps.map((block) => `${block}\n`)).toContain(program.exec(tutorial)?.[1]);
    expect(answer.body).toContain('addon-deactivated');
    // No user of the demo, and what needs no platform.
    expect(answer.body).not.toMatch(/\bAda\b|Harbour|Liam/);
    expect(answer.body).toMatch(/<h2[^>]*>What you can do without the platform<\/h2>\s*<p>[^]*\/publisher"/);
    // What only the platform does.
    expect(blocks.join('\n')).not.toMatch(/^grantbook |npm start/m);
  });

  test('PG-13: has fewer than 60 kB on the wire, and leads nowhere else than it is', async () => {
    const { body } = await get('/docs/connect-your-add-on');
    const assets = hrefsOf(body).filter((href) => href.startsWith('/assets/'));
    const sizes = await Promise.all(
      ['/docs/connect-your-add-on', ...assets].map(async (url) => (await get(url)).rawPayload.length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
    for (const href of hrefsOf(body).filter((one) => one.startsWith('/')))
      expect([href, [200, 303].includes((await get(href)).statusCode)]).toEqual([href, true]);
    expect(hrefsOf(body).filter((href) => href.endsWith('.md'))).toEqual([]);
  });
});

describe('/docs', () => {
  test('is in a sandbox: an origin of its own, without cookies, which calls nobody but this server', async () => {
    const { headers } = await get('/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain(
      "sandbox allow-scripts allow-forms allow-popups; default-src 'none'; script-src 'self'; ",
    );
    expect(policy).toContain(
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(policy).not.toMatch(/allow-same-origin|https?:|unsafe/);
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('has its script and stylesheet here, to be cached permanently, and no script of its own', async () => {
    const assets = found(docs, /(?:href|src)="([^"]*\/assets\/[^"]+)"/g);
    expect(assets).toHaveLength(3);
    for (const asset of assets) {
      const { statusCode, headers } = await get(asset);
      expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
      // The sandbox is another origin: this header would keep it from its own files.
      expect(headers['cross-origin-resource-policy']).toBeUndefined();
    }
    expect(docs).not.toMatch(/<script>|<style| style=| on\w+=|javascript:/i);
  });

  test('leads somewhere without scripts', async () => {
    for (const href of found(docs, /<a href="([^"]*)"/g)) expect((await get(href)).statusCode).toBe(200);
  });

  test('is kept by the browser, and not sent again when it has not changed', async () => {
    const { etag = '' } = (await get('/docs')).headers;
    expect((await get('/docs', { 'if-none-match': String(etag) })).statusCode).toBe(304);
  });
});

describe('/problems', () => {
  test('names fields and parameters in a font of their own, and nothing else', async () => {
    const { body } = await get('/problems/invalid-parameters');
    expect(body).toContain('Read <code>errors</code>: each entry names a <code>parameter</code>, says');
  });

  test.each(kinds)(
    'PG-11: %s has a page of its own in each language: what it means and what to do',
    async (kind) => {
      for (const { tag, docs: said, explanations } of languages) {
        const page = await get(`/problems/${kind}`, { 'accept-language': tag });
        expect(page.statusCode).toBe(200);
        const { title } = explanations.problems[kind];
        for (const part of [
          `<html lang="${tag}">`,
          said.problems.means,
          said.problems.remedy,
          `>${title}</h1>`,
        ])
          expect(page.body).toContain(part);
        expect(page.body).toContain(`<code>${kind}</code>`);
        const operations = hrefsOf(page.body).filter((href) => href.startsWith('/docs#'));
        for (const href of operations) expect(anchors).toContain(href);
      }
    },
  );

  test('PG-11: each language explains these problems and no others, by titles of their own', () => {
    for (const { explanations } of languages) {
      expect(Object.keys(explanations.problems).toSorted()).toEqual(kinds.toSorted());
      expect(new Set(Object.values(explanations.problems).map(({ title }) => title)).size).toBe(kinds.length);
    }
  });

  test('each reason of OAuth is explained once, and has a page', async () => {
    const names = refusalsIn(english).flatMap((group) => group.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
    const listed = hrefsOf((await get('/problems')).body);
    expect(names.filter((name) => !listed.includes(`/problems/${name}`))).toEqual([]);
    expect((await get('/problems/refused-code-expired', german)).body).toContain(
      'Lösen Sie jeden Code einmal ein',
    );
  });

  test('the list names them all', async () => {
    const listed = hrefsOf((await get('/problems')).body);
    expect(kinds.filter((kind) => !listed.includes(`/problems/${kind}`))).toEqual([]);
  });

  test('the type of a problem that was answered is the address of its page', async () => {
    const { type } = (await get('/profiles')).json<{ type: string }>();
    expect(type).toBe(`${http.baseUrl}/problems/token-missing`);
    const page = await get(type.replace(http.baseUrl, ''));
    expect(page.body).toContain('href="/docs#/Lists/list-profiles"');
  });

  test.each(['no-such-problem', '__proto__', 'constructor', '%3Cscript%3E'])(
    '%s is not found',
    async (kind) => {
      expect((await get(`/problems/${kind}`)).statusCode).toBe(404);
    },
  );

  test.each([
    ['a name', 'many-request', ['too-many-requests', 'refused-too-many-requests']],
    ['the type of an answer', 'https://grantbook.example/problems/token-expired', ['token-expired']],
    ['a title', 'sync TOKEN has expired', ['sync-token-expired']],
    ['a status', '431', ['headers-too-large']],
    ['words of a text, in any order', 'pauses connection', ['request-timeout']],
    ['a reason of OAuth', 'verifier-mismatch', ['refused-verifier-mismatch']],
  ])('PG-23: a search finds problems by %s', async (_, sought, names) => {
    const answer = await get(`/problems?q=${encodeURIComponent(sought)}`);
    expect(problemsIn(answer.body)).toEqual(names);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(answer.body).toContain(`value="${sought}"`);
  });

  test('PG-23: a search in German finds German words and English titles, and says what to do when nothing is found', async () => {
    expect(problemsIn((await get('/problems?q=abgelaufen+sync', german)).body)).toEqual([
      'sync-token-expired',
    ]);
    expect(problemsIn((await get('/problems?q=sync+token+has', german)).body)).toEqual([
      'sync-token-expired',
    ]);
    const none = await get('/problems?q=%3Cscript%3E', german);
    expect([none.statusCode, problemsIn(none.body)]).toEqual([200, []]);
    expect(none.body).toContain('Suchen Sie nach weniger oder anderen Wörtern');
    expect(none.body).toContain('<a class="button plain" href="/problems">Alle Probleme zeigen</a>');
    expect(none.body).toContain('value="&lt;script&gt;"');
  });

  test('PG-23: a search without words, or sent twice, is the list, and a form that works without scripts', async () => {
    const list = await get('/problems');
    for (const query of ['q=+', 'q=token&q=code'])
      expect((await get(`/problems?${query}`)).body).toBe(list.body);
    expect(list.body).toContain('<form class="filters" method="get" action="/problems" role="search">');
    expect(list.headers['content-security-policy']).toContain("form-action 'self'");
  });
});

describe('PG-11: pages of the documentation have the language of their reader', () => {
  const urls = ['/docs', '/docs/connect-your-add-on', '/problems', '/problems/not-found'];

  test.each(urls)('%s: by the browser or `ui_locales`, kept apart by caches', async (url) => {
    const here = await get(url);
    const there = await get(url, german);
    expect([here, there].map(({ body }) => /<html lang="(\w+)">/.exec(body)?.[1])).toEqual(['en', 'de']);
    expect(here.headers.etag).not.toBe(there.headers.etag);
    for (const { headers } of [here, there])
      expect([headers['cache-control'], headers.vary]).toEqual([
        'public, max-age=300',
        'Accept-Language, Cookie, Accept-Encoding',
      ]);
    const stale = await get(url, { ...german, 'if-none-match': String(here.headers.etag) });
    expect([stale.statusCode, stale.body]).toEqual([200, there.body]);
    expect((await get(`${url}?ui_locales=de`)).body).toBe(there.body);
  });

  test.each(urls)('PG-23: %s has the frame of all pages, as strangers see it', async (url) => {
    const { body } = await get(url, german);
    for (const part of [
      '<header class="bar">',
      '<main id="content"',
      '<footer class="foot">',
      'aria-label="Dienst"',
    ])
      expect(body).toContain(part);
    expect(body).toContain('<meta name="color-scheme" content="light dark">');
  });

  test('the account comes first', async () => {
    const scene = await setScene(http);
    const ada = await signedIn(http, scene);
    await ada.press(await ada.get('/account/language'), 'Save', { language: 'de', time_zone: 'UTC' });
    expect((await ada.get('/problems?ui_locales=en')).body).toContain('<html lang="de">');
  });

  test('the steps of the guide stay English, and are marked as that', async () => {
    const { body } = await get('/docs/connect-your-add-on', german);
    expect(body).toContain('<h2 id="1-registrierung">1. Registrierung</h2>');
    expect(body).toContain('Die folgenden Schritte gibt es nur auf Englisch.');
    expect(body).toMatch(/<div lang="en">\s*<h2 id="2-curl">/);
  });
});
