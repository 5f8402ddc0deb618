import type { FastifyReply } from 'fastify';
import { appendParameters } from '../../answers/append-parameters.ts';
import type { Browser } from '../../base/browser.ts';
import { noteReason } from '../../limits/refusals.ts';
import type { Words } from '../../../common/words.ts';
import { sendAuthorizationError } from './authorization-answers.ts';
import { destinationOf } from './authorization-pages.ts';

type ReturnTo = { readonly redirectUri: string; readonly state: string | undefined };

/** A page with the time to wait; a redirect would bring the browser back (AZ-24), except to a trusted `returnTo` for `prompt=none`. */
export const refuseTooMany = async (
  browser: Browser,
  reply: FastifyReply,
  { seconds, reason }: { readonly seconds: number; readonly reason: 'too-many-requests' | 'too-many-grants' },
  returnTo: ReturnTo | null,
  back: ReturnTo | null = null,
): Promise<FastifyReply> => {
  const { config, message } = browser;
  reply.header('retry-after', String(seconds));
  if (returnTo)
    return sendAuthorizationError(
      reply,
      config.issuer,
      { redirectUri: returnTo.redirectUri, state: returnTo.state, by: 'query' },
      error,
      description,
      reason,
    );
  noteReason(reply.request, reason);
  return message(reply, 429, ({ signIn, impossible, frame }) => ({
    title: signIn.later,
    message: impossible.tooMany(seconds),
    ...(back && { next: linkBack(config.issuer, back, frame) }),
  }));
};

const error = 'temporarily_unavailable';
const description = 'too many requests; try again later';

const linkBack = (issuer: string, { redirectUri, state }: ReturnTo, { backTo }: Words['frame']) => ({
  href: appendParameters(redirectUri, { error, error_description: description, state, iss: issuer }),
  label: backTo(destinationOf(redirectUri)),
});
