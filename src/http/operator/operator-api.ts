import type { FastifyInstance } from 'fastify';
import { entities } from '../../tasks/entities.ts';
import { makeAnswerOnce } from '../tasks/idempotency-key.ts';
import { registerTaskApi } from '../tasks/task-api.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { operatorApiPaths } from './operator-paths.ts';
import { makeOperatorsOnly } from './operators-only.ts';

/** What operators do, with the same names as on the command line. */
export const registerOperatorApi = (app: FastifyInstance, dependencies: OperatorDependencies): void => {
  const { services, browser } = dependencies;
  const operatorsOnly = makeOperatorsOnly(dependencies);
  registerTaskApi(app, {
    entities,
    paths: operatorApiPaths,
    guarded: (act) => operatorsOnly((request, reply, context) => act({ request, reply, services, context })),
    hasOutcome: true,
    config: browser.config,
    answerOnce: makeAnswerOnce(dependencies),
    now: browser.now,
  });
};
