import type { FastifyReply } from 'fastify';
import type { Browser } from '../browser.ts';
import { noteReason } from '../refusals.ts';
import { sendAuthorizationError } from './authorization-answers.ts';

type ReturnTo = { readonly redirectUri: string; readonly state: string | undefined };

/**
 * The answer when the limit is exceeded: a page with the time to wait, because a redirect would only bring the browser
 * back (AZ-24). A silent request (`prompt=none`) gets a redirect.
 * `returnTo` is the redirect URI, once it is known to be the add-on's own.
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
