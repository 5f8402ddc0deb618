import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { presentBars } from '../../audit/timeline/present-timeline.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { bearerText, realm, sendChallenge } from '../base/bearer.ts';
import type { AuditDependencies } from './dependencies.ts';
import {
  grantsQuery,
  timelineQuery,
  type AuditedOrganizations,
  type GrantsAnswer,
} from '../contracts/audit.ts';
import { namesOf } from '../contracts/parameters.ts';
import type { ParameterError } from '../contracts/problem.ts';
import { isFromAnotherSite } from '../requests/from-another-site.ts';
import { queryOf, pathId } from '../requests/params.ts';
import { tokenProblems } from '../operator/operators-only.ts';
import type { ProblemKind } from '../answers/problems.ts';
import { sendJson } from '../answers/send-json.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { path, type Handler } from '../base/routes.ts';
import { askGrants, askOrganizations, type Asked } from './record-question.ts';
import { auditPaths } from './audit-paths.ts';
import { isAuditor } from '../session/roles.ts';
import { readQuestion, timesNotThere, type QuestionName } from './question.ts';
import { linkHeader, linksOf, sendTimeline } from './send-timeline.ts';

type Answer = (asked: Asked, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The auditors' JSON API, not of the table of tasks: it answers pages of the log, changes nothing, and each question is recorded first. */
export const registerAuditApi = (app: FastifyInstance, dependencies: AuditDependencies): void => {
  const { browser, commands } = dependencies;
  const { config } = browser;
  const problem = (reply: FastifyReply, kind: ProblemKind) => sendProblem(reply, config.baseUrl, kind);
  const wrong = (reply: FastifyReply, errors: readonly ParameterError[]) =>
    sendProblem(reply, config.baseUrl, 'invalid-parameters', { errors });
  /** Who asks: by an administrator token of an auditor's account (for all organizations), or a session of a browser. */
  const readerIn = async (request: FastifyRequest, reply: FastifyReply) => {
    const refuse = async (kind: ProblemKind, challenge: string) => ({
      sent: await sendChallenge(reply, config.baseUrl, { ok: false, problem: kind, challenge }),
    });
    const token = bearerText(request.headers);
    if (token === undefined) {
      const session = await browser.session(request);
      return session
        ? { reader: session, isFromElsewhere: isFromAnotherSite(request) }
        : refuse('sign-in-required', realm);
    }
    const read = await commands.readOperatorToken(token ?? '');
    if (!read.ok) return refuse(tokenProblems[read.refusal], `${realm}, error="invalid_token"`);
    return { reader: read.value, isFromElsewhere: false }; // no browser sends a token by itself
  };

  const organizations: Handler = async (request, reply) => {
    const by = await readerIn(request, reply);
    if ('sent' in by) return by.sent;
    const read = readQuestion(queryOf(request), []);
    if (!read.ok) return wrong(reply, read.errors);
    if (by.isFromElsewhere) return problem(reply, 'other-origin');
    if (!isAuditor(by.reader)) return problem(reply, 'not-an-auditor');
    const items = await askOrganizations(dependencies, request, by.reader);
    return sendJson<AuditedOrganizations>(reply, {
      items: items.map(({ organizationId, name }) => ({ organization_id: organizationId, name })),
    });
  };

  /** One answer for an organization of others and for one that does not exist. */
  const guarded =
    (names: readonly QuestionName[], answer: Answer): Handler =>
    async (request, reply) => {
      const by = await readerIn(request, reply);
      if ('sent' in by) return by.sent;
      const organizationId = pathId(request, 'organization_id');
      const read = readQuestion(queryOf(request), names);
      const errors = [
        ...(isUlid(organizationId) ? [] : [malformedOrganization]),
        ...(read.ok ? [] : read.errors),
      ];
      if (!read.ok || errors.length > 0) return wrong(reply, errors);
      if (by.isFromElsewhere) return problem(reply, 'other-origin');
      if (!(await commands.isAuditor(organizationId, by.reader.userId)))
        return problem(reply, 'not-an-auditor');
      const notThere = await timesNotThere(read.question, dependencies.timeProblem);
      if (notThere.length > 0) return wrong(reply, notThere);
      return answer({ by: by.reader, organizationId, ...read }, request, reply);
    };

  const timeline: Answer = (asked, request, reply) => sendTimeline(dependencies, asked, request, reply);

  const grants: Answer = async (asked, request, reply) => {
    const bars = presentBars(await askGrants(dependencies, request, asked));
    const links = linksOf(config.baseUrl, request, asked, { ...bars, later: null });
    return sendJson<GrantsAnswer>(reply, { ...bars, _links: links }, linkHeader(links));
  };

  const refuse = methodNotAllowed(config.baseUrl);
  path(app, auditPaths, '/audit/organizations', { GET: organizations }, refuse);
  path(
    app,
    auditPaths,
    '/audit/organizations/{organization_id}/timeline',
    { GET: guarded(namesOf(timelineQuery), timeline) },
    refuse,
  );
  path(
    app,
    auditPaths,
    '/audit/organizations/{organization_id}/grants',
    { GET: guarded(namesOf(grantsQuery), grants) },
    refuse,
  );
};

const malformedOrganization: ParameterError = {
  parameter: 'organization_id',
  code: 'malformed',
  allowed: 'an id: 26 digits and capital letters',
};
