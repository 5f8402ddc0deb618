import type { FastifyPluginCallback, FastifyInstance } from 'fastify';
import { entities } from '../../administration/entities.ts';
import { pagePath } from '../base/routes.ts';
import { apiAndPages } from '../base/scopes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { makeSignedIn } from '../session/signed-in.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { registerEntityPages, operatorsOnly } from './entity-pages.ts';
import { registerAuditQuestions } from './audit-api.ts';
import { registerImportApi } from './import-api.ts';
import { registerOperatorApi } from './operator-api.ts';
import { headingOf } from './shown.ts';
import { operatorPage } from './views/operator-page.ts';

export const operator = (dependencies: OperatorDependencies): FastifyPluginCallback =>
  apiAndPages(
    dependencies.browser,
    (app) => {
      registerOperatorApi(app, dependencies);
      registerImportApi(app, dependencies);
      registerAuditQuestions(app, dependencies);
    },
    (place) => {
      registerOperatorPage(place, dependencies);
      registerEntityPages(place, dependencies);
    },
  );

const places = entities.map((about) => ({ href: `/operator/${about.plural}`, label: headingOf(about) }));

/** `/operator`: the operators' home, with the status of the service, and the way to what they look after. */
const registerOperatorPage = (
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
