import { hash } from 'node:crypto';
import type { FastifyPluginCallback, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameTag } from '../answers/send-json.ts';
import { acceptJsonText, acceptOptionalJson } from '../answers/scope-handlers.ts';
import type { Base, HttpConfig } from '../base/dependencies.ts';
import { scope } from '../base/scopes.ts';
import { pollMethod, pushMethod, type SsfConfiguration } from '../contracts/signal-streams.ts';
import { announcePolicies } from '../limits/rate-limits.ts';
import { openPath } from '../requests/cors.ts';
import type { SignalsDependencies } from './dependencies.ts';
import { registerPoll } from './poll.ts';
import { ssfConfigurationPaths } from './stream-paths.ts';
import { registerStreams } from './streams.ts';

/** In bytes: a poll may acknowledge thousands of SETs. */
const longestPoll = 1024 * 1024;

export const signals = (dependencies: SignalsDependencies): FastifyPluginCallback =>
  scope((app) => {
    registerSsfConfiguration(app, dependencies);
    void app.register(
      scope((place) => {
        acceptJsonText(place, longestPoll);
        announcePolicies(place, dependencies.rateLimits.signals);
        registerPoll(place, dependencies);
      }),
    );
    void app.register(
      scope((place) => {
        acceptOptionalJson(place);
        announcePolicies(place, dependencies.rateLimits.signals);
        registerStreams(place, dependencies);
      }),
    );
  });

const configurationOf = ({ issuer, baseUrl }: HttpConfig): SsfConfiguration => ({
  spec_version: '1_0',
  issuer,
  jwks_uri: `${baseUrl}/oauth/jwks`,
  delivery_methods_supported: [pushMethod, pollMethod],
  configuration_endpoint: `${baseUrl}/ssf/streams`,
  status_endpoint: `${baseUrl}/ssf/status`,
  verification_endpoint: `${baseUrl}/ssf/verify`,
  authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
  default_subjects: 'ALL',
});

/** What this transmitter offers (SSF 1.0 §7; SG-01), under each address that an issuer with a path may have. */
const registerSsfConfiguration = (app: FastifyInstance, { config }: Pick<Base, 'config'>): void => {
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const body = JSON.stringify(configurationOf(config));
    const etag = `"${hash('sha256', body, 'base64url')}"`;
    void reply.headers({
      etag,
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    });
    if (isSameTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.header('content-type', 'application/json; charset=utf-8').send(body);
  };
  const described = ssfConfigurationPaths(config.issuer);
  for (const url of Object.keys(described)) openPath(app, described, url, answer, config);
};
