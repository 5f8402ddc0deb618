import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyPluginCallback, FastifyInstance } from 'fastify';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { basePathOf } from '../base/base-path.ts';
import { path, type Handler } from '../base/routes.ts';
import { scope } from '../base/scopes.ts';
import { makeStaticText, makeStaticTextLater, type SendStatic } from '../compression/static-text.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { brandView, type BrandView } from '../pages/brand-view.ts';
import { markup } from '../pages/html.ts';
import { readerHeaders } from '../pages/page-answer.ts';
import { registerAsset } from '../pages/register-stylesheet.ts';
import { openPath } from '../requests/cors.ts';
import type { DocsDependencies } from './dependencies.ts';
import { docsPaths } from './docs-paths.ts';
import { problemPage, problemsPage, problemViews, refusalViews } from './problem-pages.ts';

export const docs = (dependencies: DocsDependencies): FastifyPluginCallback =>
  scope((app) => {
    registerDocuments(app, dependencies);
    registerDocs(app, dependencies);
  });

const pageType = 'text/html; charset=utf-8';

/** `/docs`: Swagger UI shows the document. `/problems`: what each problem means. */
const registerDocs = (
  app: FastifyInstance,
  dependencies: Pick<DocsDependencies, 'config' | 'readTutorial'>,
): void => {
  const { config, readTutorial } = dependencies;
  const refuse = methodNotAllowed(config.baseUrl);
  const frame = { base: basePathOf(config.baseUrl), brand: brandView(config.brand ?? null) };
  const sandboxed = { ...readerHeaders, 'content-security-policy': sandbox };
  const docs = makeStaticTextLater(pageType, () => docsPage(frame));
  path(app, docsPaths, '/docs', { GET: (request, reply) => docs(request, reply.headers(sandboxed)) }, refuse);
  let guide: SendStatic | undefined;
  const sendGuide: Handler = async (request, reply) => {
    const { guidePage } = await import('./guide-page.ts');
    guide ??= makeStaticText(
      pageType,
      guidePage({ ...frame, baseUrl: config.baseUrl, issuer: config.issuer, tutorial: readTutorial() }),
    );
    return guide(request, reply.headers(readerHeaders));
  };
  path(app, docsPaths, '/docs/connect-your-add-on', { GET: sendGuide }, refuse);
  const { script, stylesheet } = swaggerUiAssets;
  registerAsset(app, dependencies, ...script, 'text/javascript');
  registerAsset(app, dependencies, ...stylesheet);

  let pages: ReadonlyMap<string, SendStatic> | undefined;
  const send: Handler = (request, reply) => {
    pages ??= problemPagesOf(app.swagger() as unknown as OpenApiDocument, frame);
    const { kind = '' } = request.params as { readonly kind?: string };
    const sendPage = pages.get(kind);
    return sendPage
      ? sendPage(request, reply.headers(readerHeaders))
      : sendProblem(reply, config.baseUrl, 'not-found');
  };
  path(app, docsPaths, '/problems', { GET: send }, refuse);
  path(app, docsPaths, '/problems/{kind}', { GET: send }, refuse);
};

/** By the last part of the address; the page of all problems has none. */
const problemPagesOf = (document: OpenApiDocument, frame: DocsFrame): ReadonlyMap<string, SendStatic> => {
  const problems = problemViews(document);
  return new Map([
    ['', makeStaticText(pageType, problemsPage({ ...frame, all: problems }))],
    ...[...problems, ...refusalViews].map(
      (problem) => [problem.kind, makeStaticText(pageType, problemPage({ ...frame, ...problem }))] as const,
    ),
  ]);
};

/**
 * The files of `@fastify/swagger-ui`. Its routes are not used: they read each file from the disk for each client, do not
 * compress it, and write the document anew for each request (DO-02).
 */
const require = createRequire(import.meta.url);
const folder = dirname(require.resolve('@fastify/swagger-ui'));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

const start = `
SwaggerUIBundle({ dom_id: '#swagger-ui', url: new URL('openapi.json', location.href).href, deepLinking: true, validatorUrl: null });
`;

const version = createHash('sha256').update(read('package.json')).update(start).digest('hex').slice(0, 12);

/** By their addresses, which change with the content. */
const swaggerUiAssets = {
  script: [`/assets/swagger-ui-${version}.js`, () => read('static/swagger-ui-bundle.js') + start],
  stylesheet: [`/assets/swagger-ui-${version}.css`, () => read('static/swagger-ui.css')],
} as const;

/**
 * The page runs a script that is not ours: in a sandbox it has an origin of its own, without cookies and session, and
 * reads nothing but what every site may read. It calls this server only.
 */
const sandbox =
  "sandbox allow-scripts allow-forms allow-popups; default-src 'none'; script-src 'self'; style-src 'self'; " +
  "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `/docs`. Swagger UI replaces what is in `main`; our own stylesheet would be in its way. */
type DocsFrame = { readonly base: string; readonly brand: BrandView };

const docsPage = ({ base, brand }: DocsFrame): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>API reference – ${brand.name}</title>
<link rel="icon" href="${brand.icon}">
<link rel="stylesheet" href="${base}${swaggerUiAssets.stylesheet[0]}">
<script src="${base}${swaggerUiAssets.script[0]}" defer></script>
</head>
<body>
<header><strong>${brand.name}</strong> <a href="${base}/docs/connect-your-add-on">Connect your add-on</a></header>
<main id="swagger-ui">
<p>
This page needs scripts. Without them: <a href="${base}/openapi.json">the OpenAPI document</a>,
and <a href="${base}/problems">all problems</a>.
</p>
</main>
</body>
</html> `.html;

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
