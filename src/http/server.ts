import cookie from '@fastify/cookie';
import fastify, { type FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import { METHODS } from 'node:http';
import { registerAccountPages } from './account/account-pages.ts';
import { registerTokenPages } from './account/token-pages.ts';
import { registerActivationApi } from './admin/activation-api.ts';
import { registerAdminPages } from './admin/admin-pages.ts';
import { registerAuditApi } from './audit/audit-api.ts';
import { registerOperatorPage } from './operator/operator-page.ts';
import { registerAuditPages } from './audit/audit-pages.ts';
import { makeBrowser } from './browser.ts';
import { registerDocs } from './docs/register-docs.ts';
import { registerHealth } from './health.ts';
import { letGoWhenClosing } from './let-go.ts';
import { registerLists } from './lists/lists.ts';
import { countRequests } from './metrics/count-requests.ts';
import { registerMetrics } from './metrics/metrics.ts';
import type { HttpNeeds } from './needs.ts';
import { makeDocument, registerDocuments } from './openapi/register-openapi.ts';
import { registerAuthorize } from './oauth/authorize.ts';
import { answerWithOAuthErrors } from './oauth/client-endpoint.ts';
import { registerIntrospect } from './oauth/introspect.ts';
import { registerJwks } from './oauth/jwks.ts';
import { registerLogout } from './oauth/logout.ts';
import { registerMetadata } from './oauth/metadata.ts';
import { registerRevoke } from './oauth/revoke.ts';
import { registerToken } from './oauth/token.ts';
import { registerUserInfo } from './oauth/userinfo.ts';
import { protectPages } from './pages/page-answer.ts';
import { registerStylesheet } from './pages/register-stylesheet.ts';
import { parseParams } from './params.ts';
import { announcePolicies } from './rate-limits.ts';
import { acceptForms, acceptOptionalJson, answerWithPages, answerWithProblems } from './places.ts';
import { logRequests } from './request-log.ts';
import { registerSignIn } from './session/sign-in.ts';
import { registerSignOut } from './session/sign-out.ts';
import { answerUnreadable } from './unreadable.ts';

/** Forms and JSON bodies are small; a page's form carries a sealed authorization request. */
const bodyLimit = 64 * 1024;

/**
 * The HTTP side, ready to `listen` or `inject`. Each place answers in its own language: problems (lists, admin API),
 * RFC 6749 JSON (token, revoke, introspect), pages (authorize, sign-in, admin).
 */
export const buildServer = (needs: HttpNeeds): FastifyInstance => {
  const { trustedProxies = [] } = needs.config;
  const prefix = randomBytes(4).toString('hex');
  let count = 0;
  const app = fastify({
    logger: false,
    bodyLimit,
    // The span of the request's trace, too.
    genReqId: () => prefix + (count = (count + 1) >>> 0).toString(16).padStart(8, '0'),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    clientErrorHandler: answerUnreadable(needs.config.baseUrl),
    frameworkErrors: (error, request, reply) => void problems.onError(error, request, reply),
    routerOptions: { querystringParser: asQuery, maxParamLength: 2048 },
  });
  const problems = answerWithProblems(needs);
  const more = METHODS.filter((method) => method !== 'CONNECT' && !app.supportedMethods.includes(method));
  for (const method of more) app.addHttpMethod(method);
  letGoWhenClosing(app);
  logRequests(app, needs.logger);
  const requests = countRequests(app);
  app.setErrorHandler(problems.onError);
  app.setNotFoundHandler(problems.onNotFound);

  registerHealth(app, needs);
  registerMetrics(app, needs, requests);
  registerMetadata(app, needs);
  registerJwks(app, needs);
  registerStylesheet(app, needs);
  const documented = makeDocument(needs);
  registerDocuments(app, needs, documented);
  registerDocs(app, needs, documented);
  void app.register((place, _options, done) => {
    announcePolicies(place, needs.rateLimits.resources);
    registerLists(place, needs);
    done();
  });
  void app.register((place, _options, done) => {
    acceptForms(place);
    answerWithOAuthErrors(place, needs);
    place.register((limited, _more, ready) => {
      announcePolicies(limited, needs.rateLimits.token);
      registerToken(limited, needs);
      ready();
    });
    registerRevoke(place, needs);
    registerIntrospect(place, needs);
    done();
  });
  void app.register((place, _options, done) => {
    acceptForms(place);
    announcePolicies(place, needs.rateLimits.resources);
    registerUserInfo(place, needs);
    done();
  });
  void app.register(async (place) => {
    await place.register(cookie);
    const browser = makeBrowser(needs);
    place.register((api, _options, done) => {
      acceptOptionalJson(api);
      registerActivationApi(api, browser);
      registerAuditApi(api, browser);
      done();
    });
    place.register((pages, _options, done) => {
      acceptForms(pages);
      protectPages(pages);
      answerWithPages(pages, browser);
      registerAuthorize(pages, browser);
      registerLogout(pages, browser);
      registerSignIn(pages, browser);
      registerSignOut(pages, browser);
      registerAdminPages(pages, browser);
      registerAccountPages(pages, browser);
      registerAuditPages(pages, browser);
      registerOperatorPage(pages, browser);
      registerTokenPages(pages, browser);
      done();
    });
  });
  return app;
};

/** Our own parameters instead of an object of strings and arrays (G-03, G-04). */
const asQuery = (raw: string) => parseParams(raw) as unknown as Record<string, unknown>;
