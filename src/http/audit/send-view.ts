import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadModels } from '../../projections/read-models.ts';
import { organizationOf } from '../admin/organization-of.ts';
import type { Browser, Visitor } from '../base/browser.ts';
import { sendPage } from '../pages/page-answer.ts';
import { queryOf } from '../requests/params.ts';
import { pageView } from '../session/sign-out.ts';
import type { AuditDependencies } from './dependencies.ts';
import { readQuestion, timesNotThere } from './question.ts';
import type { View } from './view.ts';
import { filterFields } from './views/history-filters.ts';

type Dependencies = Pick<AuditDependencies, 'browser' | 'timeProblem'> & {
  readonly readModels: Pick<ReadModels, 'addonsOf' | 'organization'>;
};

/** Who may read the organization's events, as its auditor or, in the other case, as its administrator. */
type Reader = {
  readonly session: Visitor;
  readonly organizationId: string;
  readonly forAdministrators: boolean;
};

/** The answer to the query of the address, or the form with what is wrong in it. The caller has checked the authority. */
export const sendView = async (
  dependencies: Dependencies,
  view: View,
  { session, organizationId, forAdministrators }: Reader,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { browser, readModels } = dependencies;
  const query = queryOf(request);
  const read = readQuestion(query, view.names, browser.now(), {
    ofForm: true,
    besides: forAdministrators ? [] : ['organization'],
  });
  const problems = read.ok
    ? await timesNotThere(read.question, view.timeProblem ?? dependencies.timeProblem)
    : read.errors;
  const [organization, addons] = await Promise.all([
    organizationOf(dependencies, organizationId),
    readModels.addonsOf(organizationId),
  ]);
  const frame = {
    ...pageView(browser, session),
    organization,
    forAdministrators,
    fields: filterFields(view.names, query, addons, problems),
    problems,
    now: browser.now(),
  };
  if (!read.ok || problems.length > 0) return sendPage(reply, 400, view.refused(frame), 'stays-here');
  const html = await view.shown(frame, { by: session, organizationId, ...read }, request);
  return sendPage(reply, 200, html, 'stays-here');
};

/** Every search is recorded, so a link from another site must not trigger one: the reader has to confirm (CL-11). */
export const askFirst = (
  { message }: Pick<Browser, 'message'>,
  reply: FastifyReply,
  href: string,
): Promise<FastifyReply> =>
  message(reply, 200, {
    title: 'Open the audit log?',
    message: 'Another site led you here. When you open the audit log, your search is recorded in it.',
    next: { href, label: 'Open the audit log' },
  });
