import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docs as docsPlugin } from '../../../src/http/docs/plugin.ts';
import { lists } from '../../../src/http/lists/lists.ts';
import { stylesheets } from '../../../src/http/pages/register-stylesheet.ts';
import { problemKinds } from '../../../src/http/answers/problems.ts';
import { startPlugins, type PluginApp } from '../../support/scenes/plugin-app.ts';

let http: PluginApp;
let docs: string;
beforeAll(async () => {
  http = await startPlugins([docsPlugin, lists, stylesheets]);
  docs = (await get('/docs')).body;
});
afterAll(() => http.close());

const get = (url: string, headers: Record<string, string> = {}) =>
  http.app.inject({ method: 'GET', url, headers });
const found = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = '']) => value);
const hrefsOf = (html: string) => found(html, /<(?:a|link)\b[^>]*href="([^"]*)"/g);
const kinds = Object.keys(problemKinds);

type Operation = { readonly operationId: string };
type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};
const openApi = async () => (await get('/openapi.json')).json<OpenApi>();

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

describe('/docs', () => {
  test('has a section for every operation and every type of the document', async () => {
    const { paths, components } = await openApi();
    const operations = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => operation.operationId ?? []),
    );
    const types = Object.keys(components.schemas).map((name) => `type-${name}`);
    const sections = found(docs, /<section[^>]* id="([^"]+)"/g);
    expect(operations.length).toBeGreaterThan(30);
    expect([...operations, ...types].filter((id) => !sections.includes(id))).toEqual([]);
  });

  test('every link leads somewhere: inside the page, or to another page', async () => {
    const ids = new Set(found(docs, / id="([^"]+)"/g));
    const inside = hrefsOf(docs).filter((href) => href.startsWith('#'));
    expect(inside.length).toBeGreaterThan(80);
    expect(inside.filter((href) => !ids.has(href.slice(1)))).toEqual([]);
    const pages = [
      ...new Set(hrefsOf(docs).filter((href) => /^\/(problems|openapi|asyncapi|assets|docs)/.test(href))),
    ];
    expect(pages.length).toBeGreaterThan(20);
    for (const page of pages) expect([page, (await get(page)).statusCode]).toEqual([page, 200]);
  });

  test('has each id once', () => {
    const ids = found(docs, / id="([^"]+)"/g);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('what is code in a description is shown as code, in headers as everywhere', () => {
    const text = docs.replaceAll(/<pre[^>]*>.*?<\/pre>/gs, '');
    expect(found(text, /(.{0,40}`.{0,40})/g)).toEqual([]);
    expect(docs).toContain('The limits: <code>q</code> requests in <code>w</code> seconds');
  });

  test('runs no script and needs no inline style', async () => {
    expect(docs).not.toMatch(/<script|<style| style=| on\w+=|javascript:/i);
    const policy = String((await get('/docs')).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  });

  test('is kept by the browser, and not sent again when it has not changed', async () => {
    const { etag = '' } = (await get('/docs')).headers;
    expect((await get('/docs', { 'if-none-match': String(etag) })).statusCode).toBe(304);
  });
});

describe('/problems', () => {
  test.each(kinds)('%s has a page of its own that says what it means and what to do', async (kind) => {
    const page = await get(`/problems/${kind}`);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('What it means');
    expect(page.body).toContain('What to do');
    expect(page.body).toContain(`<code>${kind}</code>`);
    const operations = hrefsOf(page.body).filter((href) => href.startsWith('/docs#'));
    for (const href of operations) expect(docs).toContain(`id="${href.replace('/docs#', '')}"`);
  });

  test('the list names them all', async () => {
    const listed = hrefsOf((await get('/problems')).body);
    expect(kinds.filter((kind) => !listed.includes(`/problems/${kind}`))).toEqual([]);
  });

  test('the type of a problem that was answered is the address of its page', async () => {
    const { type } = (await get('/profiles')).json<{ type: string }>();
    expect(type).toBe(`${http.baseUrl}/problems/token-missing`);
    const page = await get(type.replace(http.baseUrl, ''));
    expect(page.body).toContain('href="/docs#list-profiles"');
  });

  test.each(['no-such-problem', '__proto__', 'constructor', '%3Cscript%3E'])(
    '%s is not found',
    async (kind) => {
      expect((await get(`/problems/${kind}`)).statusCode).toBe(404);
    },
  );
});
