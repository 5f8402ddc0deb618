import type { FastifyInstance } from 'fastify';
import { makeStaticText, makeStaticTextLater, type SendStatic } from '../compression/static-text.ts';
import { basePathOf } from '../base/base-path.ts';
import type { DocsDependencies } from './dependencies.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { registerAsset } from '../pages/register-stylesheet.ts';
import { readerHeaders } from '../pages/page-answer.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { path, type Handler } from '../base/routes.ts';
import { docsPaths } from './docs-paths.ts';
import { docsStylesheet, docsStylesheetPath } from './docs-stylesheet.ts';
import { problemPage, problemsPage, problemViews } from './problem-pages.ts';
import { docsPage, sandbox, swaggerUiAssets } from './swagger-ui.ts';

const html = 'text/html; charset=utf-8';

/** `/docs`: Swagger UI shows the document. `/problems`: what each problem means. */
export const registerDocs = (app: FastifyInstance, dependencies: Pick<DocsDependencies, 'config'>): void => {
  const { config } = dependencies;
  const refuse: Handler = (request, reply) =>
    sendProblem(request, reply, config.baseUrl, 'method-not-allowed');
  const sandboxed = { ...readerHeaders, 'content-security-policy': sandbox };
  const docs = makeStaticTextLater(html, () => docsPage(basePathOf(config.baseUrl)));
  path(app, docsPaths, '/docs', { GET: (request, reply) => docs(request, reply.headers(sandboxed)) }, refuse);
  const { script, stylesheet } = swaggerUiAssets;
  registerAsset(app, dependencies, ...script, 'text/javascript');
  registerAsset(app, dependencies, ...stylesheet);

  let pages: ReadonlyMap<string, SendStatic> | undefined;
  const send: Handler = (request, reply) => {
    pages ??= problemPagesOf(app.swagger() as unknown as OpenApiDocument, basePathOf(config.baseUrl));
    const { kind = '' } = request.params as { readonly kind?: string };
    const sendPage = pages.get(kind);
    return sendPage
      ? sendPage(request, reply.headers(readerHeaders))
      : sendProblem(request, reply, config.baseUrl, 'not-found');
  };
  path(app, docsPaths, '/problems', { GET: send }, refuse);
  path(app, docsPaths, '/problems/{kind}', { GET: send }, refuse);
  registerAsset(app, dependencies, docsStylesheetPath, docsStylesheet);
};

/** By the last part of the address; the page of all problems has none. */
const problemPagesOf = (document: OpenApiDocument, base: string): ReadonlyMap<string, SendStatic> => {
  const problems = problemViews(document);
  return new Map([
    ['', makeStaticText(html, problemsPage({ base, all: problems }))],
    ...problems.map(
      (problem) => [problem.kind, makeStaticText(html, problemPage({ base, ...problem }))] as const,
    ),
  ]);
};
