import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import type { Browser } from '../../base/browser.ts';
import type { AuthorizeDependencies } from './dependencies.ts';
import { pagePath, path } from '../../base/routes.ts';
import { announcePolicies } from '../../limits/rate-limits.ts';
import { noteWishes } from '../../requests/reader-of.ts';
import { noteClient, noteReason } from '../../limits/refusals.ts';
import { formOf, isRepeated, one, only, queryOf, together, type Params } from '../../requests/params.ts';
import { methodNotAllowedPage } from '../../session/refused-method.ts';
import { oauthPaths } from '../oauth-paths.ts';
import { makeAskAnother } from './another-user.ts';
import { sendAuthorizationError } from './authorization-answers.ts';
import { longest, type IdTokenHint } from './authorize-checks.ts';
import { makeAuthorizeLimit } from './authorize-limit.ts';
import { checkAuthorization } from './check-authorization.ts';
import { makeConsentDecision } from './consent-decision.ts';
import { makeContinueAuthorization, sendFailure } from './continue-authorization.ts';
import { recheck } from './recheck.ts';
import { showOutOfUse } from './removed-from-addon.ts';

/** `/oauth/authorize`: checks, asks the user where needed, sends the browser back. Errors are redirected once the URI is trusted (AZ-24). */
export const registerAuthorize = (app: FastifyInstance, dependencies: AuthorizeDependencies): void => {
  const { browser, rateLimits } = dependencies;
  const proceed = makeContinueAuthorization(dependencies);
  const limit = makeAuthorizeLimit(dependencies, findAddon);
  const refuse = methodNotAllowedPage(browser);

  const authorize = async (request: FastifyRequest, reply: FastifyReply) => {
    const params = together(queryOf(request), formOf(request));
    const uiLocales = only(params, 'ui_locales');
    if (uiLocales !== undefined) noteWishes(request, { uiLocales });
    noteClient(request, one(params, 'client_id'));
    if (!(await limit.admit(request, reply, params))) return reply;
    const addon = await findAddon(dependencies, params);
    if (addon) limit.saw(addon.addonId);
    const { hint, trouble } = await readHint(dependencies, params, addon);
    const checked = checkAuthorization(params, addon, browser.now(), hint, browser.config.baseUrl);
    if (checked.kind === 'page') {
      noteReason(request, checked.reason);
      return addon?.suspended || addon?.retired
        ? showOutOfUse(browser, reply, addon)
        : showError(browser, reply, checked.description);
    }
    if (checked.kind === 'redirect')
      return sendAuthorizationError(
        reply,
        browser.config.issuer,
        checked.address,
        checked.error,
        checked.description,
        checked.reason,
      );
    if (trouble) return sendFailure(browser, request, reply, checked.request, trouble);
    const pending = { kind: 'authorize', request: checked.request, approver: null } as const;
    if (request.method !== 'POST' || browser.cookies.session(request) !== '')
      return proceed(request, reply, checked.addon, pending, null);
    // A form from another site arrives without our Lax cookie; the browser sends the cookie with the following GET.
    const signed = browser.interactions.sign(browser.interactions.begin(request, reply, pending));
    return reply.redirect(`${browser.base}/oauth/authorize/continue?interaction=${signed}`, 303);
  };

  const resume = async (request: FastifyRequest, reply: FastifyReply) => {
    const interaction = browser.interactions.verify(request, only(queryOf(request), 'interaction'));
    if (typeof interaction === 'string') return browser.refuseInteraction(reply, interaction);
    const { pending } = interaction;
    if (pending.kind !== 'authorize') return browser.refuseInteraction(reply, 'malformed');
    noteClient(request, pending.request.clientId);
    try {
      const rechecked = await recheck(dependencies, reply, pending.request);
      if ('sent' in rechecked) return rechecked.sent;
      return await proceed(request, reply, rechecked.addon, pending, interaction);
    } catch (error) {
      return sendFailure(browser, request, reply, pending.request, error);
    }
  };

  void app.register((limited, _options, done) => {
    announcePolicies(limited, rateLimits.authorize);
    path(limited, oauthPaths, '/oauth/authorize', { GET: authorize, POST: authorize }, refuse, {
      head: false,
    });
    done();
  });
  pagePath(app, '/oauth/authorize/continue', { GET: resume }, refuse, { head: false });
  pagePath(app, '/oauth/authorize/decision', { POST: makeConsentDecision(dependencies) }, refuse);
  pagePath(app, '/oauth/authorize/another-user', { POST: makeAskAnother(dependencies) }, refuse);
};

/** As the log has it now: a removed redirect URI gets nothing (AM-12). An id that is not one of ours is unknown, without reading. */
const findAddon = async ({ commands }: AuthorizeDependencies, params: Params): Promise<Addon | null> => {
  const clientId = one(params, 'client_id');
  if (clientId === undefined || isRepeated(params, 'client_id') || !isUlid(clientId)) return null;
  return commands.currentAddon(clientId);
};

type HintRead = { readonly hint: IdTokenHint | null; readonly trouble?: unknown };

/**
 * Leaves it to the checks to refuse a hint that was sent twice or is far too long. If the keys cannot be read, that
 * error is reported only once it is known that it may be sent to the add-on (AZ-24).
 */
const readHint = async (
  { idTokens, browser: { config } }: AuthorizeDependencies,
  params: Params,
  addon: Addon | null,
): Promise<HintRead> => {
  const sent = only(params, 'id_token_hint');
  if (!addon || sent === undefined || sent.length > longest) return { hint: null };
  try {
    const read = await idTokens.read(sent, config.issuer);
    return { hint: { userId: read?.addonId === addon.addonId ? read.userId : null } };
  } catch (trouble) {
    return { hint: null, trouble };
  }
};

const showError = (browser: Browser, reply: FastifyReply, detail: string): Promise<FastifyReply> =>
  browser.message(reply, 400, ({ impossible }) => ({
    title: impossible.badLink,
    message: impossible.badLinkWhy,
    detail,
  }));
