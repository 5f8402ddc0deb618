import type { FastifyInstance } from 'fastify';
import { ownAddons } from '../../tasks/publishing.ts';
import { ownOf, publishersOf } from '../../tasks/publishing/facts.ts';
import type { Visitor } from '../base/browser.ts';
import { registerEntityPages } from '../tasks/entity-pages.ts';
import { empty, link } from '../pages/components.ts';
import type { PublisherDependencies } from './dependencies.ts';
import { servicesFor } from './members-only.ts';

/** `/publisher`: the same as the API, with the session of a browser. */
export const registerPublisherPages = (app: FastifyInstance, dependencies: PublisherDependencies): void => {
  const { browser } = dependencies;
  const servicesOf = ({ userId }: Visitor) => servicesFor(dependencies, { userId, byClaim: true });
  registerEntityPages(app, {
    browser,
    entities: [ownAddons],
    only: (act) => async (session, request, reply) => {
      const services = servicesOf(session);
      return (await publishersOf(services, ownOf(services).member)).length > 0
        ? act(session, request, reply)
        : browser.message(reply, 403, ({ publisher: t, frame }) => ({
            title: t.noAccess,
            message: t.membersOnly,
            next: { href: '/', label: frame.start },
          }));
    },
    servicesOf,
    crumbs: () => [],
    listAt: () => '/publisher',
    headingOf: ({ publisher }) => publisher.title,
    pageOf: (about, id) => (about === ownAddons ? `/publisher/addons/${encodeURIComponent(id)}` : null),
    none: ({ words: { publisher: t } }) => empty(t.none, link(`${browser.base}/docs`, t.howToConnect)),
  });
};
