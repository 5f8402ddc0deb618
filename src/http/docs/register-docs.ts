import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { isSameTag } from '../etag.ts';
import type { HttpNeeds } from '../needs.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { Documented } from '../openapi/send-document.ts';
import { registerAsset } from '../pages/register-stylesheet.ts';
import { readerHeaders } from '../pages/page-answer.ts';
import { sendProblem } from '../problems.ts';
import { path, type Handler } from '../routes.ts';
import { docsPage } from './docs-page.ts';
import { docsStylesheet, docsStylesheetPath } from './docs-stylesheet.ts';
import { docsView } from './docs-view.ts';
import { paragraphsOf } from './inline.ts';
import { problemPage, problemsPage, problemViews } from './problem-pages.ts';

/** The pages of one document, rendered when they are first asked for. */
const makePages = ({ document }: Documented<OpenApiDocument>, issuer: string) => {
  const baseUrl = document.servers[0]?.url ?? '';
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  const { sections, types } = docsView(document);
  const problems = problemViews(sections);
  const { version, description } = document.info;
  const introduction = paragraphsOf(description);
  const view = { base, baseUrl, issuer, version, introduction, sections, types, problems };
  return new Map<string, string>([
    ['/docs', docsPage(view)],
    ['/problems', problemsPage(base, problems)],
    ...problems.map((problem) => [`/problems/${problem.kind}`, problemPage(base, problem)] as const),
  ]);
};

/** `/docs` and `/problems`: the document to be read, without scripts. */
export const registerDocs = (
  app: FastifyInstance,
  needs: HttpNeeds,
  documented: () => Documented<OpenApiDocument>,
): void => {
  const { config } = needs;
  let made: { readonly etag: string; readonly pages: ReadonlyMap<string, string> } | undefined;
  const pagesNow = () => {
    const current = documented();
    if (made?.etag !== current.etag) made = { etag: current.etag, pages: makePages(current, config.issuer) };
    return made.pages;
  };

  const send = (request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply => {
    const html = pagesNow().get(page);
    if (html === undefined) return sendProblem(request, reply, config.baseUrl, 'not-found');
    const etag = `"${hash('sha256', html, 'base64url').slice(0, 22)}"`;
    reply.headers({ ...readerHeaders, etag });
    if (isSameTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.header('content-type', 'text/html; charset=utf-8').send(html);
  };

  const refuse: Handler = (request, reply) =>
    sendProblem(request, reply, config.baseUrl, 'method-not-allowed');
  path(app, '/docs', { GET: (request, reply) => send(request, reply, '/docs') }, refuse);
  path(app, '/problems', { GET: (request, reply) => send(request, reply, '/problems') }, refuse);
  path(
    app,
    '/problems/:kind',
    {
      GET: (request, reply) =>
        send(request, reply, `/problems/${(request.params as { readonly kind: string }).kind}`),
    },
    refuse,
  );
  registerAsset(app, needs, docsStylesheetPath, docsStylesheet);
};
