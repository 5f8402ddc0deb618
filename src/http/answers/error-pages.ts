import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Browser } from '../base/browser.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { messagePage, type MessageView } from '../pages/message-page.ts';
import { pageHeaders } from '../pages/page-answer.ts';
import { prefersPage } from './prefers-page.ts';

/** How long the page waits for the name of the signed-in user: that read may depend on the part that failed. */
const patience = 500;

/**
 * Answers people with pages where programs get JSON: for unknown addresses, methods that are not allowed, and faults of
 * ours. Status and `Allow` are the same for both; answers to programs do not change.
 */
export const answerPeopleWithPages = (app: FastifyInstance, { base, session }: Browser): void => {
  app.addHook('onSend', async (request, reply, payload) => {
    const view = viewOf(reply);
    if (!view || !prefersPage(request) || reply.hasHeader('content-encoding')) return payload;
    const who = await withTimeoutOrNull(patience, session(request));
    reply
      .headers(pageHeaders)
      .header('content-type', 'text/html; charset=utf-8')
      .removeHeader('content-length');
    return messagePage({ base, ...view, ...(who && { signedIn: who.name }), next: home });
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
    return { title: 'Please try again', message: 'The service cannot answer now. Try again in a moment.' };
  return statusCode >= 500
    ? { title: 'Something went wrong', message: 'The fault is on our side.', requestId: reply.request.id }
    : null;
};
