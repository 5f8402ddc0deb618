import type { FastifyPluginCallback } from 'fastify';
import { acceptJsonText, acceptOptionalJson } from '../answers/scope-handlers.ts';
import { scope } from '../base/scopes.ts';
import { announcePolicies } from '../limits/rate-limits.ts';
import type { SignalsDependencies } from './dependencies.ts';
import { registerPoll } from './poll.ts';
import { registerSsfConfiguration } from './ssf-configuration.ts';
import { registerStreams } from './streams.ts';

/** In bytes: a poll may acknowledge thousands of SETs. */
const longestPoll = 1024 * 1024;

/** How add-ons are told what happens to their access. */
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
