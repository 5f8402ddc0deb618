import { callbackify } from 'node:util';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { shownOf, type Browser } from '../base/browser.ts';
import type { ErrorText } from '../words/languages.ts';
import { messagePage } from '../pages/message-page.ts';
import { readerOf } from '../requests/reader-of.ts';
import { pageHeaders } from '../pages/page-answer.ts';

/** How long the page waits for the name of the signed-in user: that read may depend on the part that failed. */
const patience = 500;

export type People = Pick<Browser, 'frame' | 'session' | 'now'>;

/** Pages for people where programs get JSON: unknown addresses, methods, our faults. Status and `Allow` are the same. */
export const answerPeopleWithPages = (app: FastifyInstance, { frame, session, now }: People): void => {
  const page = async (request: FastifyRequest, reply: FastifyReply, view: View): Promise<string> => {
    const who = await withTimeoutOrNull(patience, session(request, true));
    reply
      .headers(pageHeaders)
      .header('content-type', 'text/html; charset=utf-8')
      .removeHeader('content-length');
    const of = readerOf({ now }, request);
    const { title, message, ...more } = view;
    const { errors } = of.words;
    return messagePage({
      ...frame,
      reader: of,
      title: errors[title],
      message: errors[message],
      ...more,
      ...shownOf(who),
      next: { href: '/', label: of.words.frame.start },
    });
  };
  const answerWith = callbackify(page);
  // Not async: every answer passes here.
  app.addHook('onSend', (request, reply, _payload, done) => {
    const view = viewOf(reply);
    if (!view || !prefersPage(request) || reply.hasHeader('content-encoding')) return done();
    answerWith(request, reply, view, done);
  });
};

type View = { readonly title: ErrorText; readonly message: ErrorText; readonly requestId?: string };

const viewOf = (reply: FastifyReply): View | null => {
  const { statusCode } = reply;
  if (statusCode < 400 || !/json/.test(String(reply.getHeader('content-type') ?? ''))) return null;
  if (statusCode === 404) return { title: 'notFound', message: 'notFoundWhy' };
  if (statusCode === 405)
    return {
      title: 'notDirectly',
      message: 'forPrograms',
    };
  if (statusCode === 503) return { title: 'tryAgain', message: 'unavailable' };
  return statusCode >= 500
    ? { title: 'ourFault', message: 'ourFaultWhy', requestId: reply.request.id }
    : null;
};

/**
 * Whether a person reads the answer: a browser navigation, or a GET that prefers HTML to JSON. Never with
 * `Authorization`, and never the POST of a program: some (Java's HttpURLConnection) send `text/markup` in every request.
 */
const prefersPage = ({ method, headers }: FastifyRequest): boolean => {
  if (headers.authorization !== undefined) return false;
  if (headers['sec-fetch-mode'] === 'navigate') return true;
  if (method !== 'GET') return false;
  const ranges = acceptedIn(headers.accept ?? '');
  const json = ['application/json', 'application/*', '*/*'].find((type) => ranges.has(type));
  return (ranges.get('text/html') ?? 0) > (json === undefined ? 0 : (ranges.get(json) ?? 0));
};

/** Media ranges with their weights (RFC 9110 §12.5.1). */
const acceptedIn = (accept: string): ReadonlyMap<string, number> =>
  new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return [type, q === undefined ? 1 : Number(q.slice(2)) || 0];
    }),
  );
