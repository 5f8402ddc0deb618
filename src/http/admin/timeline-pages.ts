import type { FastifyInstance } from 'fastify';
import { filtersOf } from '../audit/record-question.ts';
import { askFirst, sendView } from '../audit/send-view.ts';
import { fileKinds } from '../audit/timeline-files.ts';
import { timelineFile, timelineView } from '../audit/timeline-view.ts';
import type { View } from '../audit/view.ts';
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
    (asked, place, file) =>
      `${historyOf(asked)}${file ? `.${file}` : ''}?${new URLSearchParams({ ...filtersOf(asked), ...place }).toString()}`,
  );

  const show =
    (shown: View): Act =>
    ({ organizationId }, session, request, reply) =>
      isFromAnotherSite(request)
        ? askFirst(browser, reply, backTo(request))
        : sendView(dependencies, shown, { session, organizationId, forAdministrators: true }, request, reply);

  const here = '/admin/organizations/{organization_id}/timeline';
  const refuse = methodNotAllowedPage(browser);
  pagePath(app, here, { GET: administrator(dependencies, show(view)) }, refuse);
  for (const file of fileKinds) {
    const shown = show(timelineFile(dependencies, file));
    pagePath(app, `${here}.${file}`, { GET: administrator(dependencies, shown) }, refuse);
  }
};
