import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Commands } from '../../commands/commands.ts';
import type { Federation } from '../../federation/federation.ts';
import type { Session } from '../../commands/sign-in/read-session.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { Browser } from '../base/browser.ts';
import type { FederationDependencies } from './dependencies.ts';
import { addressOf } from '../oauth/identity/sign-out-request.ts';
import { isRepeated, only, queryOf } from '../requests/params.ts';
import { pagePath } from '../base/routes.ts';
import { admitStep } from '../session/admit-step.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';

/** Where a sign-out leads: to a path of ours, or to an address that an add-on has registered. */
type Next =
  | { readonly path: string }
  | { readonly addonId: string; readonly uri: string; readonly state?: string | undefined };

/** What waits while the browser is at the provider: for ten minutes, in this browser. */
type Leaving = { readonly id: string; readonly expiresAt: Instant; readonly next: Next };
const lifetime = 10 * 60_000;

type SigningOut = {
  readonly browser: Browser;
  readonly commands: Pick<Commands, 'currentAddon'>;
  readonly federation: Federation;
};

/** At this moment: an operator may have removed the address since the sign-out was asked for (FX-11). */
export const isRegistered = async (
  { commands }: Pick<SigningOut, 'commands'>,
  { addonId, uri }: Extract<Next, { readonly uri: string }>,
): Promise<boolean> => {
  const addon = await commands.currentAddon(addonId);
  return addon !== null && !addon.suspended && !addon.retired && addon.postLogoutRedirectUris.includes(uri);
};

const addressOfNext = async (
  { browser, commands }: Pick<SigningOut, 'browser' | 'commands'>,
  next: Next,
): Promise<string> => {
  if ('path' in next) return browser.base + next.path;
  return (await isRegistered({ commands }, next))
    ? addressOf({ uri: next.uri, state: next.state })
    : `${browser.base}/sign-out`;
};

/** Where the browser goes after our session has ended: to the provider's own sign-out, which sends it back to `next`. */
export const afterSignOut = async (
  dependencies: SigningOut,
  reply: FastifyReply,
  session: Pick<Session, 'sessionId' | 'upstream'> | null,
  next: Next,
): Promise<string> => {
  const { browser, federation } = dependencies;
  const { config, signer, logger, cookies, now } = browser;
  if (!session?.upstream) return addressOfNext(dependencies, next);
  const { provider } = session.upstream;
  const leaving: Leaving = { id: randomBytes(16).toString('base64url'), expiresAt: now() + lifetime, next };
  try {
    const url = await federation.signOutUrl(provider, {
      sessionId: session.sessionId,
      returnTo: `${config.baseUrl}/sign-out/callback/${provider}`,
      state: signer.sign(leaving, 'sign-out'),
    });
    if (url === null) return await addressOfNext(dependencies, next);
    cookies.setPending(reply, [...cookies.pending(reply.request), leaving.id]);
    return url;
  } catch (err) {
    logger.warn({ err, provider }, 'the sign-out at the provider was skipped');
    return addressOfNext(dependencies, next);
  }
};

/** The browser is back from the provider's sign-out. What it was asked to do is over: nothing is changed here. */
export const registerProviderSignOut = (app: FastifyInstance, dependencies: FederationDependencies): void => {
  const { browser } = dependencies;
  const { base, signer, message, cookies, now } = browser;
  const back = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!(await admitStep(dependencies, request, reply))) return reply;
    if (isRepeated(queryOf(request), 'state'))
      return message(reply, 400, ({ signOut, frame }) => ({
        title: signOut.done,
        message: signOut.repeatedState,
        next: { href: '/sign-in', label: frame.signIn },
      }));
    const sent = signer.verify(only(queryOf(request), 'state') ?? '', 'sign-out') as Partial<Leaving> | null;
    const { id = '', expiresAt = 0, next } = sent ?? {};
    const isOurs = expiresAt > now() && cookies.pending(request).includes(id);
    return reply.redirect(isOurs && next ? await addressOfNext(dependencies, next) : `${base}/sign-out`, 303);
  };
  pagePath(app, '/sign-out/callback/{provider}', { GET: back }, methodNotAllowedPage(browser), {
    head: false,
  });
};
