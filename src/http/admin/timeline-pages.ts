import type { FastifyInstance } from 'fastify';
import { filtersOf } from '../audit/record-question.ts';
import { askFirst, sendView } from '../audit/send-view.ts';
import { timelineView } from '../audit/timeline-view.ts';
import { historyOf } from '../audit/views/history-filters.ts';
import { pagePath } from '../base/routes.ts';
import { isFromAnotherSite } from '../requests/from-another-site.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import type { AdminDependencies } from './dependencies.ts';
import { administrator, backTo, type Act } from './pages-of-administrators.ts';

/** The timeline of an organization for its administrators: the page of its auditors, at another address (AP-11). */
export const registerTimelinePages = (app: FastifyInstance, dependencies: AdminDependencies): void => {
  const { browser } = dependencies;
  const view = timelineView(
    dependencies,
    (asked, place) =>
      `${historyOf(asked)}?${new URLSearchParams({ ...filtersOf(asked), ...place }).toString()}`,
  );

  const show: Act = ({ organizationId }, session, request, reply) =>
    isFromAnotherSite(request)
      ? askFirst(browser, reply, backTo(request))
      : sendView(dependencies, view, { session, organizationId, forAdministrators: true }, request, reply);

  pagePath(
    app,
    '/admin/organizations/{organization_id}/timeline',
    { GET: administrator(dependencies, show) },
    methodNotAllowedPage(browser),
  );
};
