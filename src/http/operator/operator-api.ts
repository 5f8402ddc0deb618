import type { FastifyInstance } from 'fastify';
import { entities } from '../../tasks/entities.ts';
import { makeAnswerOnce } from '../tasks/idempotency-key.ts';
import { registerTaskApi } from '../tasks/task-api.ts';
import { registerAuditQuestions } from './audit-api.ts';
import type { OperatorApiDependencies } from './dependencies.ts';
import { registerImportApi } from './import-api.ts';
import { operatorApiPaths } from './operator-paths.ts';
import { makeOperatorsOnly } from './operators-only.ts';

/** All that operators and auditors do over HTTP, but for its pages. */
export const registerApi = (
  app: FastifyInstance,
  dependencies: OperatorApiDependencies,
  imports: Parameters<typeof registerImportApi>[2],
): void => {
  registerTasks(app, dependencies);
  registerImportApi(app, dependencies, imports);
  registerAuditQuestions(app, dependencies);
};

/** What operators do, with the same names as on the command line. */
const registerTasks = (app: FastifyInstance, dependencies: OperatorApiDependencies): void => {
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
