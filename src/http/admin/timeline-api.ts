import type { FastifyInstance } from 'fastify';
import { readQuestion, timesNotThere } from '../audit/question.ts';
import { sendTimeline } from '../audit/send-timeline.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { path } from '../base/routes.ts';
import { timelineQuery } from '../contracts/audit.ts';
import { namesOf } from '../contracts/parameters.ts';
import { isFromAnotherSite } from '../requests/from-another-site.ts';
import { queryOf } from '../requests/params.ts';
import { makeAdministratorsOnly, type Act } from './administrators-only.ts';
import type { AdminDependencies } from './dependencies.ts';
import { timelinePaths } from './timeline-paths.ts';

/** The timeline of an organization as JSON, for its administrators, as its auditors read it (AP-11). */
export const registerTimelineApi = (app: FastifyInstance, dependencies: AdminDependencies): void => {
  const { browser, timeProblem } = dependencies;
  const { baseUrl } = browser.config;

  const timeline: Act = async ({ organizationId }, administrator, request, reply) => {
    // Every search is recorded, so a link from another site must not trigger one. No browser sends a token by itself.
    if (administrator.tokenId === null && isFromAnotherSite(request))
      return sendProblem(reply, baseUrl, 'other-origin');
    const read = readQuestion(queryOf(request), namesOf(timelineQuery));
    const errors = read.ok ? await timesNotThere(read.question, timeProblem) : read.errors;
    if (!read.ok || errors.length > 0) return sendProblem(reply, baseUrl, 'invalid-parameters', { errors });
    return sendTimeline(dependencies, { by: administrator, organizationId, ...read }, request, reply);
  };

  const refuse = methodNotAllowed(baseUrl);
  const guarded = makeAdministratorsOnly(dependencies);
  path(
    app,
    timelinePaths,
    '/organizations/{organization_id}/timeline',
    { GET: guarded(timeline, { readsQuery: true }) },
    refuse,
  );
};
