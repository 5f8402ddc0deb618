import type { FastifyInstance } from 'fastify';
import { ownAddons } from '../../tasks/publishing.ts';
import { makeAnswerOnce } from '../tasks/idempotency-key.ts';
import { registerTaskApi } from '../tasks/task-api.ts';
import type { PublisherDependencies } from './dependencies.ts';
import { makeMembersOnly } from './members-only.ts';
import { publisherPaths } from './publisher-paths.ts';

/** What members of a publisher see and do with its add-ons (AP-10), as the table says. */
export const registerPublisherApi = (app: FastifyInstance, dependencies: PublisherDependencies): void => {
  const { now, browser } = dependencies;
  const { ofPublishers: listing, anyone: guarded, withoutQuery: showing } = makeMembersOnly(dependencies);
  registerTaskApi(app, {
    entities: [ownAddons],
    paths: publisherPaths,
    guarded,
    listing,
    showing,
    config: browser.config,
    answerOnce: makeAnswerOnce(dependencies),
    now,
  });
};
