import type { FastifyInstance, FastifyPluginCallback, FastifyRequest } from 'fastify';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { path, type Handler } from '../base/routes.ts';
import { scope } from '../base/scopes.ts';
import { makeStaticText, makeStaticTextLater, type SendStatic } from '../compression/static-text.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { readerHeaders } from '../pages/page-answer.ts';
import { registerAsset } from '../pages/register-stylesheet.ts';
import { openPath } from '../requests/cors.ts';
import { only, pathId, queryOf } from '../requests/params.ts';
import { noteWishes, readerOf } from '../requests/reader-of.ts';
import type { DocsDependencies } from './dependencies.ts';
import { docsPaths } from './docs-paths.ts';
import type { DocsView } from './docs-tabs.ts';
import { problemsIn, refusalsIn } from './explanations.ts';
import { problemPage, problemsPage, returning } from './problem-pages.ts';
import { referencePage, sandbox, swaggerUiAssets } from './reference-page.ts';

export const docs = (dependencies: DocsDependencies): FastifyPluginCallback =>
  scope((app) => {
    registerDocuments(app, dependencies);
    registerDocs(app, dependencies);
  });

const pageType = 'text/html; charset=utf-8';

/** How long a page waits for the language of the account, in milliseconds. */
const patience = 500;

/** More than anybody types; what follows is not read. */
const longest = 200;

/** `/docs`: Swagger UI shows the document. `/problems`: what each problem means. */
const registerDocs = (app: FastifyInstance, dependencies: DocsDependencies): void => {
  const { config, browser, readTutorial } = dependencies;
  const refuse = methodNotAllowed(config.baseUrl);

  /** In the language of the account, of `ui_locales`, or of the browser (PG-11). */
  const viewFor = async (request: FastifyRequest): Promise<DocsView> => {
    await withTimeoutOrNull(patience, browser.session(request));
    noteWishes(request, { uiLocales: only(queryOf(request), 'ui_locales') });
    return { ...browser.frame, reader: readerOf(browser, request) };
  };

  /** A page for everybody, made once for each language; null: there is none with the name in the address. */
  const kept = (
    make: (view: DocsView, name: string) => Promise<string | null> | string | null,
    headers: object = readerHeaders,
  ): Handler => {
    const made = new Map<string, SendStatic>();
    return async (request, reply) => {
      const view = await viewFor(request);
      const name = pathId(request, 'kind');
      const key = `${view.reader.words.tag} ${name}`;
      const known = made.get(key);
      if (known) return known(request, reply.headers(headers));
      const html = await make(view, name);
      if (html === null) return sendProblem(reply, config.baseUrl, 'not-found');
      const send = makeStaticText(pageType, html);
      made.set(key, send);
      return send(request, reply.headers(headers));
    };
  };

  const sandboxed = { ...readerHeaders, 'content-security-policy': sandbox };
  path(app, docsPaths, '/docs', { GET: kept(referencePage, sandboxed) }, refuse);
  const { script, stylesheet } = swaggerUiAssets;
  registerAsset(app, dependencies, ...script, 'text/javascript');
  registerAsset(app, dependencies, ...stylesheet);

  const guide = kept(async (view) => {
    const { guidePage } = await import('./guide-page.ts');
    return guidePage({ ...view, baseUrl: config.baseUrl, issuer: config.issuer, tutorial: readTutorial() });
  });
  path(app, docsPaths, '/docs/connect-your-add-on', { GET: guide }, refuse);

  const all = kept((view) => problemsPage({ ...view, sought: '' }));
  const search: Handler = async (request, reply) => {
    const sought = (only(queryOf(request), 'q') ?? '').slice(0, longest).trim();
    if (sought === '') return all(request, reply);
    const html = problemsPage({ ...(await viewFor(request)), sought });
    return reply
      .headers({ ...readerHeaders, 'cache-control': 'no-store' })
      .type(pageType)
      .send(html);
  };
  path(app, docsPaths, '/problems', { GET: search }, refuse);

  let returnedBy: ReturnType<typeof returning> | undefined;
  const problem = kept((view, name) => {
    const { words } = view.reader;
    const about = [...problemsIn(words), ...refusalsIn(words).flat()].find((each) => each.name === name);
    if (!about) return null;
    returnedBy ??= returning(app.swagger() as unknown as OpenApiDocument);
    return problemPage({ ...view, about, returnedBy: returnedBy(name) });
  });
  path(app, docsPaths, '/problems/{kind}', { GET: problem }, refuse);
};

/** `/openapi.json` for the HTTP interface, `/asyncapi.json` for the Kafka interface: readable by tools on any site. */
const registerDocuments = (app: FastifyInstance, { config, version, asyncApi }: DocsDependencies): void => {
  const sendAt = (url: '/openapi.json' | '/asyncapi.json', make: () => object): void => {
    const send = makeStaticTextLater('application/json; charset=utf-8', () => JSON.stringify(make()));
    const headers = { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' } as const;
    openPath(
      app,
      { [url]: docsPaths[url] },
      url,
      (request, reply) => send(request, reply.headers(headers)),
      config,
    );
  };
  sendAt('/openapi.json', () => app.swagger());
  sendAt('/asyncapi.json', () => asyncApi({ baseUrl: config.baseUrl, issuer: config.issuer, version }));
};
