import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { makeStaticText, type SendStatic } from '../compression/static-text.ts';
import type { DocsDependencies } from './dependencies.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { Documented } from '../openapi/send-document.ts';
import { registerAsset } from '../pages/register-stylesheet.ts';
import { readerHeaders } from '../pages/page-answer.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { path, type Handler } from '../base/routes.ts';
import { docsPage } from './docs-page.ts';
import { docsPaths } from './docs-paths.ts';
import { docsStylesheet, docsStylesheetPath } from './docs-stylesheet.ts';
import { docsView } from './docs-view.ts';
import { paragraphsOf } from './inline.ts';
import { problemPage, problemsPage, problemViews } from './problem-pages.ts';

/** The pages of one document, rendered on first use. */
const makePages = ({ document }: Documented<OpenApiDocument>, issuer: string) => {
  const baseUrl = document.servers[0]?.url ?? '';
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  const { sections, types } = docsView(document);
  const problems = problemViews(sections);
  const { version, description } = document.info;
  const introduction = paragraphsOf(description);
  const view = { base, baseUrl, issuer, version, introduction, sections, types, problems };
  const pages = [
    ['/docs', docsPage(view)] as const,
    ['/problems', problemsPage(base, problems)] as const,
    ...problems.map((problem) => [`/problems/${problem.kind}`, problemPage(base, problem)] as const),
  ] as const;
  const html = 'text/html; charset=utf-8';
  return new Map<string, SendStatic>(pages.map(([page, text]) => [page, makeStaticText(html, text)]));
};

/** `/docs` and `/problems`: the OpenAPI document as pages, without scripts. */
export const registerDocs = (
  app: FastifyInstance,
  dependencies: DocsDependencies,
  documented: () => Documented<OpenApiDocument>,
): void => {
  const { config } = dependencies;
  let made: { readonly of: OpenApiDocument; readonly pages: ReturnType<typeof makePages> } | undefined;
  const pagesNow = () => {
    const current = documented();
    if (made?.of !== current.document)
      made = { of: current.document, pages: makePages(current, config.issuer) };
    return made.pages;
  };

  const send = async (request: FastifyRequest, reply: FastifyReply, page: string): Promise<FastifyReply> => {
    const sendPage = pagesNow().get(page);
    return sendPage
      ? sendPage(request, reply.headers(readerHeaders))
      : sendProblem(request, reply, config.baseUrl, 'not-found');
  };

  const refuse: Handler = (request, reply) =>
    sendProblem(request, reply, config.baseUrl, 'method-not-allowed');
  path(app, docsPaths, '/docs', { GET: (request, reply) => send(request, reply, '/docs') }, refuse);
  path(app, docsPaths, '/problems', { GET: (request, reply) => send(request, reply, '/problems') }, refuse);
  path(
    app,
    docsPaths,
    '/problems/{kind}',
    {
      GET: (request, reply) =>
        send(request, reply, `/problems/${(request.params as { readonly kind: string }).kind}`),
    },
    refuse,
  );
  registerAsset(app, dependencies, docsStylesheetPath, docsStylesheet);
};
