import type { FastifyInstance } from 'fastify';
import type { Browser } from '../browser.ts';
import { markName } from '../../audit/sentence.ts';
import { operatorPage } from '../pages/operator-page.ts';
import { sendPage } from '../pages/page-answer.ts';
import { path } from '../routes.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { makeSignedIn } from '../session/signed-in.ts';
import { isOperator } from './is-operator.ts';
import { operatorPaths } from './operator-paths.ts';

/** `/operator`: the status of the service, for accounts with the role `operator`. Nothing can be changed here. */
export const registerOperatorPage = (app: FastifyInstance, browser: Browser): void => {
  const { base, message, operator } = browser;
  const show = makeSignedIn(
    browser,
    () => '/operator',
  )(async (session, _request, reply) => {
    const { name, email } = session;
    if (!isOperator(session))
      return message(reply, 403, {
        title: 'You don’t have access',
        message: `Only operators see the service status. You are signed in as ${markName(email)}.`,
        next: { href: '/account', label: 'Your account' },
      });
    return sendPage(
      reply,
      200,
      operatorPage({ base, signedIn: name, status: await operator.read() }),
      'stays-here',
    );
  });
  path(app, operatorPaths, '/operator', { GET: show }, methodNotAllowedPage(browser));
};
