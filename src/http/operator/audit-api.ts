import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditAnswered, AuditQuestion, Parameters } from '../../tasks/audit-questions.ts';
import { sendJson } from '../answers/send-json.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import { isAuditor, isOperator } from '../session/roles.ts';
import { realm, sendChallenge } from '../base/bearer.ts';
import { path, type Handler } from '../base/routes.ts';
import { queryOf } from '../requests/params.ts';
import { auditNames, auditPathOf, auditQuestionPaths } from './audit-paths.ts';
import type { OperatorApiDependencies } from './dependencies.ts';
import { makeHoldersOnly } from './operators-only.ts';

/** Auditors' questions as the command line asks them: operators ask about everything, auditors about their organizations. */
export const registerAuditQuestions = (app: FastifyInstance, dependencies: OperatorApiDependencies): void => {
  const { audits, browser } = dependencies;
  const { baseUrl } = browser.config;
  const holdersOnly = makeHoldersOnly(dependencies);
  const refuse = methodNotAllowed(baseUrl);

  const ask = (question: AuditQuestion): Handler =>
    holdersOnly(async (request, reply, context, holder) => {
      if (!isOperator(holder) && !isAuditor(holder))
        return sendChallenge(reply, baseUrl, {
          ok: false,
          problem: 'not-an-operator',
          challenge: `${realm}, error="insufficient_scope"`,
        });
      const asking = { holder, context, signal: request.signal };
      const parameters = parametersOf(request);
      if (question === 'export') {
        const lines = await audits.export(parameters, asking);
        return 'ok' in lines ? refused(reply, lines) : sendLines(reply, lines);
      }
      const answered = await audits.ask(question, parameters, asking);
      return answered.ok ? sendJson(reply, answered.json) : refused(reply, answered);
    });

  const refused = (
    reply: FastifyReply,
    { code, message: detail, isMisuse }: Extract<AuditAnswered, { readonly ok: false }>,
  ): FastifyReply => {
    const kind: ProblemKind = isMisuse
      ? 'invalid-parameters'
      : code === 'not-your-organization'
        ? 'not-an-auditor'
        : code in problemKinds
          ? (code as ProblemKind)
          : 'change-refused';
    return sendProblem(reply, baseUrl, kind, { code, detail });
  };

  for (const name of auditNames) path(app, auditQuestionPaths, auditPathOf(name), { GET: ask(name) }, refuse);
};

/** A parameter that is sent twice stays a list. */
const parametersOf = (request: FastifyRequest): Parameters =>
  Object.fromEntries(
    [...queryOf(request)].map(([name, values]) => [
      name,
      values.length > 1 || name === 'type' ? values : values[0],
    ]),
  );

/** The first line comes before the answer begins: what is refused until then is a problem, and later a broken answer. */
const sendLines = async (reply: FastifyReply, lines: AsyncIterable<string>): Promise<FastifyReply> =>
  reply
    .headers({ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
    .send(Readable.from(lines, { objectMode: false }));
