import cookie from '@fastify/cookie';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { registerAccountPages } from './account/account-pages.ts';
import { registerPasskeyPages } from './account/passkey-pages.ts';
import { registerPasswordPages } from './account/password-pages.ts';
import { registerSessionPages } from './account/session-pages.ts';
import { registerTokenPages } from './account/token-pages.ts';
import { registerActivationApi } from './admin/activation-api.ts';
import { registerAdminPages } from './admin/admin-pages.ts';
import { registerAuditApi } from './audit/audit-api.ts';
import { registerEntityPages } from './operator/entity-pages.ts';
import { registerOperatorApi } from './operator/operator-api.ts';
import { registerOperatorPage } from './operator/operator-page.ts';
import { registerAuditPages } from './audit/audit-pages.ts';
import { makeBaseServer } from './requests/base-server.ts';
import { answerPeopleWithPages } from './answers/error-pages.ts';
import { makeBrowser } from './base/browser.ts';
import { registerDocs } from './docs/register-docs.ts';
import { registerBackchannelLogout } from './federation/backchannel-logout.ts';
import { registerFederation } from './federation/callback.ts';
import { registerProviderSignOut } from './federation/provider-sign-out.ts';
import { registerLiveness, registerReadiness } from './health/health.ts';
import { registerLists } from './lists/lists.ts';
import { connectionMetrics } from './metrics/connection-metrics.ts';
import { countRequests } from './metrics/count-requests.ts';
import { registerMetrics } from './metrics/metrics.ts';
import type { HttpDependencies } from './base/dependencies.ts';
import { documentOptions } from './openapi/document.ts';
import { registerDocuments } from './openapi/register-openapi.ts';
import { registerAuthorize } from './oauth/authorize/authorize.ts';
import { answerWithOAuthErrors } from './oauth/token/client-endpoint.ts';
import { registerIntrospect } from './oauth/token/introspect.ts';
import { registerJwks } from './oauth/identity/jwks.ts';
import { registerLogout } from './oauth/identity/logout.ts';
import { registerMetadata } from './oauth/identity/register-metadata.ts';
import { registerRevoke } from './oauth/token/revoke.ts';
import { registerToken } from './oauth/token/token.ts';
import { registerUserInfo } from './oauth/identity/userinfo.ts';
import { protectPages } from './pages/page-answer.ts';
import { registerAsset, registerStylesheet } from './pages/register-stylesheet.ts';
import { passkeyScript, passkeyScriptPath } from './passkeys/passkey-script.ts';
import { registerPasskeySignIn } from './passkeys/passkey-sign-in.ts';
import { announcePolicies } from './limits/rate-limits.ts';
import { countRefusals } from './limits/refusals.ts';
import {
  acceptForms,
  acceptJsonText,
  acceptOptionalJson,
  answerWithPages,
} from './answers/scope-handlers.ts';
import { registerPoll } from './signals/poll.ts';
import { registerSsfConfiguration } from './signals/ssf-configuration.ts';
import { registerStreams } from './signals/streams.ts';
import { sendFormsOnce } from './session/send-forms-once.ts';
import { registerSignIn } from './session/sign-in.ts';
import { registerSignOut } from './session/sign-out.ts';

/** In bytes: a poll may acknowledge thousands of SETs. */
const longestPoll = 1024 * 1024;

/**
 * The HTTP side, ready to `listen` or `inject`. Each scope has its own form of answers: problems (lists, admin API),
 * RFC 6749 JSON (token, revoke, introspect), pages (authorize, sign-in, admin).
 * @param management if given, only this server answers readiness and metrics
 */
export const buildServer = (
  dependencies: HttpDependencies,
  management: FastifyInstance | null = null,
): FastifyInstance => {
  const { app, table } = makeBaseServer(dependencies, dependencies.config.maxConnections ?? 1_000);
  const requests = countRequests(app);
  const refusals = countRefusals(app, dependencies.logger);
  void app.register(cookie);
  const browser = makeBrowser(dependencies);
  answerPeopleWithPages(app, browser);

  void app.register(
    swagger,
    documentOptions(() => ({ ...dependencies.config, version: dependencies.version })),
  );
  void app.register((place, _options, done) => {
    registerLiveness(place, dependencies);
    if (management) registerLiveness(management, dependencies);
    registerReadiness(management ?? place, dependencies);
    registerMetrics(management ?? place, dependencies, () => [
      ...requests(),
      ...refusals(),
      ...connectionMetrics(table),
    ]);
    registerMetadata(place, dependencies);
    registerSsfConfiguration(place, dependencies);
    registerJwks(place, dependencies);
    registerStylesheet(place, dependencies);
    registerAsset(place, dependencies, passkeyScriptPath, passkeyScript, 'text/javascript');
    registerDocuments(place, dependencies);
    registerDocs(place, dependencies);
    done();
  });
  void app.register((place, _options, done) => {
    announcePolicies(place, dependencies.rateLimits.resources);
    registerLists(place, dependencies);
    done();
  });
  void app.register((place, _options, done) => {
    acceptJsonText(place, longestPoll);
    announcePolicies(place, dependencies.rateLimits.signals);
    registerPoll(place, dependencies);
    done();
  });
  void app.register((place, _options, done) => {
    acceptOptionalJson(place);
    announcePolicies(place, dependencies.rateLimits.signals);
    registerStreams(place, dependencies);
    done();
  });
  void app.register((place, _options, done) => {
    acceptForms(place);
    answerWithOAuthErrors(place, dependencies);
    place.register((limited, _more, ready) => {
      announcePolicies(limited, dependencies.rateLimits.token);
      registerToken(limited, dependencies);
      ready();
    });
    registerBackchannelLogout(place, dependencies);
    place.register((limited, _more, ready) => {
      announcePolicies(limited, dependencies.rateLimits.revoke);
      registerRevoke(limited, dependencies);
      ready();
    });
    place.register((limited, _more, ready) => {
      announcePolicies(limited, dependencies.rateLimits.introspect);
      registerIntrospect(limited, dependencies);
      ready();
    });
    done();
  });
  void app.register((place, _options, done) => {
    acceptForms(place);
    announcePolicies(place, dependencies.rateLimits.resources);
    registerUserInfo(place, dependencies);
    done();
  });
  void app.register((place, _outer, ready) => {
    place.register((api, _options, done) => {
      acceptOptionalJson(api);
      registerActivationApi(api, browser);
      registerAuditApi(api, browser);
      registerOperatorApi(api, browser);
      done();
    });
    place.register((pages, _options, done) => {
      acceptForms(pages);
      protectPages(pages);
      answerWithPages(pages, browser);
      sendFormsOnce(pages, browser);
      registerAuthorize(pages, browser);
      registerLogout(pages, browser);
      registerSignIn(pages, browser);
      registerPasskeySignIn(pages, browser);
      registerSignOut(pages, browser);
      registerFederation(pages, browser);
      registerProviderSignOut(pages, browser);
      registerAdminPages(pages, browser);
      registerAccountPages(pages, browser);
      registerSessionPages(pages, browser);
      registerPasswordPages(pages, browser);
      registerPasskeyPages(pages, browser);
      registerAuditPages(pages, browser);
      registerOperatorPage(pages, browser);
      registerEntityPages(pages, browser);
      registerTokenPages(pages, browser);
      done();
    });
    ready();
  });
  return app;
};
