import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { shownOf, type Browser } from '../base/browser.ts';
import { messagePage, type MessageView } from '../pages/message-page.ts';
import { pageHeaders } from '../pages/page-answer.ts';

/** How long the page waits for the name of the signed-in user: that read may depend on the part that failed. */
const patience = 500;

export type People = Pick<Browser, 'frame' | 'session'>;

/** Pages for people where programs get JSON: unknown addresses, methods, our faults. Status and `Allow` are the same. */
export const answerPeopleWithPages = (app: FastifyInstance, { frame, session }: People): void => {
  app.addHook('onSend', async (request, reply, payload) => {
    const view = viewOf(reply);
    if (!view || !prefersPage(request) || reply.hasHeader('content-encoding')) return payload;
    const who = await withTimeoutOrNull(patience, session(request, true));
    reply
      .headers(pageHeaders)
      .header('content-type', 'text/html; charset=utf-8')
      .removeHeader('content-length');
    return messagePage({ ...frame, ...view, ...shownOf(who), next: home });
  });
};

const home = { href: '/', label: 'Start page' };

type View = Pick<MessageView, 'title' | 'message' | 'requestId'>;

const viewOf = (reply: FastifyReply): View | null => {
  const { statusCode } = reply;
  if (!/json/.test(String(reply.getHeader('content-type') ?? ''))) return null;
  if (statusCode === 404) return { title: 'Page not found', message: 'There is nothing at this address.' };
  if (statusCode === 405)
    return {
      title: 'This page can’t be opened directly',
      message: 'This address is for programs, such as add-ons.',
    };
  if (statusCode === 503)
    return { title: 'Try again', message: 'The service cannot answer now. Try again in a moment.' };
  return statusCode >= 500
    ? { title: 'Something went wrong', message: 'The fault is on our side.', requestId: reply.request.id }
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
