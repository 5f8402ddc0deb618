import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Browser } from '../base/browser.ts';
import { formOf, only } from '../requests/params.ts';
import { readFormToken } from './form-token.ts';
import type { OneTime } from './sent-once.ts';

/** How long the form of such a link is known as sent. */
const linkLifetime = 10 * 60_000;

/** Every form of this scope's pages that is sent twice takes effect once (FX-20). */
export const sendFormsOnce = (place: FastifyInstance, browser: Browser): void =>
  browser.sentOnce.watch(place, async (request, reply) => {
    const once = oneTimeOf(browser, request);
    const admitted = once ? await browser.sentOnce.admit(request, reply, once) : 'first';
    if (admitted === 'answered') return reply;
    // A link to choose a password says itself that it was used.
    if (admitted === 'first' || once?.secret === only(formOf(request), 'link')) return undefined;
    return browser.refuseInteraction(reply, 'used');
  });

/** Null unless the form is ours and of this browser: then its handler refuses it. No I/O. */
const oneTimeOf = (browser: Browser, request: FastifyRequest): OneTime | null => {
  const proof = proofIn(browser, request);
  if (!proof) return null;
  // Of one page that was shown, and of the address that the form is sent to.
  const digest = createHash('sha256').update(`${request.url}\n${proof.secret}`);
  return { id: `form ${digest.digest('base64url')}`, sent: JSON.stringify([...formOf(request)]), ...proof };
};

const proofIn = (
  { interactions, signer, cookies, now }: Browser,
  request: FastifyRequest,
): Pick<OneTime, 'secret' | 'expiresAt'> | null => {
  const form = formOf(request);
  const interaction = only(form, 'interaction');
  if (interaction !== undefined) {
    const verified = interactions.verify(request, interaction);
    return typeof verified === 'string' ? null : { secret: interaction, expiresAt: verified.expiresAt };
  }
  const csrf = only(form, 'csrf');
  if (csrf !== undefined) {
    const token = readFormToken(signer, csrf);
    if (!token || token.expiresAt <= now()) return null;
    const isHere = token.isOf(cookies.sessionId(request)) || cookies.pending(request).includes(token.id);
    return isHere ? { secret: csrf, expiresAt: token.expiresAt } : null;
  }
  const link = only(form, 'link');
  return link?.startsWith('mkt_link_') ? { secret: link, expiresAt: now() + linkLifetime } : null;
};
