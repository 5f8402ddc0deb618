import type { FastifyInstance } from 'fastify';
import type { OperatorDependencies } from './dependencies.ts';
import { entities } from '../../administration/entities.ts';
import { operatorPage } from './views/operator-page.ts';
import { sendPage } from '../pages/page-answer.ts';
import { pagePath } from '../base/routes.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { makeSignedIn } from '../session/signed-in.ts';
import { operatorsOnly } from './entity-pages.ts';
import { headingOf } from './shown.ts';

const places = entities.map((about) => ({ href: `/operator/${about.plural}`, label: headingOf(about) }));

/** `/operator`: the operators' home, with the status of the service, and the way to what they look after. */
export const registerOperatorPage = (
  app: FastifyInstance,
  { browser, serviceStatus }: OperatorDependencies,
): void => {
  const { base } = browser;
  const show = makeSignedIn(
    browser,
    () => '/operator',
  )(
    operatorsOnly(browser, async ({ name }, _request, reply) => {
      const html = operatorPage({ base, signedIn: name, status: await serviceStatus(), places });
      return sendPage(reply, 200, html, 'stays-here');
    }),
  );
  pagePath(app, '/operator', { GET: show }, methodNotAllowedPage(browser));
};
