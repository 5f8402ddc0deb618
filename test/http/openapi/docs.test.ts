import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemKinds } from '../../../src/http/answers/problems.ts';
import { readTutorial } from '../../../src/process/package-root.ts';
import { describedOperations } from '../../support/documents/described-operations.ts';
import { startHttpApp, type HttpApp } from '../../support/scenes/http-app.ts';

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
const hrefsOf = (html: string) => found(html, /<(?:a|link)\b[^>]*href="([^"]*)"/g);
const kinds = Object.keys(problemKinds);

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

  test('PG-13: from the registration to signals, by curl, JavaScript and Python, as the tutorial that is run', async () => {
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
    expect(assets).toHaveLength(2);
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

  test.each(kinds)('%s has a page of its own that says what it means and what to do', async (kind) => {
    const page = await get(`/problems/${kind}`);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('What it means');
    expect(page.body).toContain('What to do');
    expect(page.body).toContain(`<code>${kind}</code>`);
    const operations = hrefsOf(page.body).filter((href) => href.startsWith('/docs#'));
    for (const href of operations) expect(anchors).toContain(href);
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
});
