import type { FastifyReply } from 'fastify';
import type { Browser } from '../browser.ts';
import { noteReason } from '../refusals.ts';
import { sendAuthorizationError } from './authorization-answers.ts';

type ReturnTo = { readonly redirectUri: string; readonly state: string | undefined };

/**
 * One too many: a page with the time to wait, because a redirect would only bring the browser back (AZ-24). An add-on that asks
 * silently is told by redirect. `returnTo` is where, once it is known to be the add-on's own.
 */
export const refuseTooMany = async (
  { config, message }: Browser,
  reply: FastifyReply,
  { seconds, reason }: { readonly seconds: number; readonly reason: 'too-many-requests' | 'too-many-grants' },
  returnTo: ReturnTo | null,
): Promise<FastifyReply> => {
  reply.header('retry-after', String(seconds));
  if (returnTo)
    return sendAuthorizationError(
      reply,
      config.issuer,
      { redirectUri: returnTo.redirectUri, state: returnTo.state, by: 'query' },
      'temporarily_unavailable',
      'too many requests, please try again later',
      reason,
    );
  noteReason(reply.request, reason);
  return message(reply, 429, {
    title: 'Please try again later',
    message: `The add-on sent your browser here too often. Please try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
  });
};
