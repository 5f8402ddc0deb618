import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../commands/read-session.ts';
import type { Browser } from '../browser.ts';
import { isRepeated, only, queryOf } from '../params.ts';
import { path } from '../routes.ts';
import { admitStep } from '../session/admit-step.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { federationPaths } from './federation-paths.ts';

/**
 * Where the browser goes after our session has ended: to the provider's own sign-out, which sends it back to `next`.
 * @param next an address of ours, or one that an add-on has registered
 */
export const afterSignOut = async (
  { config, federation, signer, logger }: Browser,
  session: Pick<Session, 'sessionId' | 'upstream'> | null,
  next: string,
): Promise<string> => {
  if (!session?.upstream) return next;
  const { provider } = session.upstream;
  try {
    const url = await federation.signOutUrl(provider, {
      sessionId: session.sessionId,
      returnTo: `${config.baseUrl}/sign-out/callback/${provider}`,
      state: signer.sign({ next }, 'sign-out'),
    });
    return url ?? next;
  } catch (err) {
    logger.warn({ err, provider }, 'the sign-out at the provider was left out');
    return next;
  }
};

/** The browser is back from the provider's sign-out. What it was asked to do is over: nothing is changed here. */
export const registerProviderSignOut = (app: FastifyInstance, browser: Browser): void => {
  const { base, signer, message } = browser;
  const back = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!(await admitStep(browser, request, reply))) return reply;
    if (isRepeated(queryOf(request), 'state'))
      return message(reply, 400, {
        title: 'You are signed out',
        message: 'The address has the parameter "state" more than once.',
        next: { href: '/sign-in', label: 'Sign in' },
      });
    const sent = signer.verify(only(queryOf(request), 'state') ?? '', 'sign-out') as {
      readonly next?: string;
    } | null;
    return reply.redirect(sent?.next ?? `${base}/sign-out`, 303);
  };
  path(app, federationPaths, '/sign-out/callback/{provider}', { GET: back }, methodNotAllowedPage(browser), {
    head: false,
  });
};
