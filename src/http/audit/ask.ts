import type { FastifyRequest } from 'fastify';
import type { AuditQuery } from '../../domain/audit-query.ts';
import type { GrantBars, TimelinePage } from '../../audit/timeline.ts';
import type { Session } from '../../commands/read-session.ts';
import type { Browser } from '../browser.ts';
import { contextOf } from '../trace.ts';
import { concerningIn, type Question } from './question.ts';

/** A question that was read and is allowed, with who asks. */
export type Asked = {
  readonly session: Session;
  readonly organizationId: string;
  readonly question: Question;
  readonly sent: Readonly<Record<string, string>>;
};

type Note = {
  readonly session: Session;
  readonly organizationId: string | null;
  readonly query: AuditQuery;
  readonly sent: Readonly<Record<string, string>>;
};

/** Notes a question. What it throws has to become the answer: what was not noted is not answered. */
export const note = (
  { commands }: Browser,
  request: FastifyRequest,
  { session, organizationId, query, sent }: Note,
): Promise<void> =>
  commands.recordAuditQuery(
    { by: session.userId, organizationId, query, parameters: sent },
    contextOf(request),
  );

const usualLimit = 50;

/** What happened in the organization, as far as it was asked for; noted first. */
export const askTimeline = async (
  browser: Browser,
  request: FastifyRequest,
  asked: Asked,
): Promise<TimelinePage> => {
  await note(browser, request, { ...asked, query: 'timeline' });
  const { type, actor, from, to, after, before, limit = usualLimit } = asked.question;
  return browser.audit.timeline.page(
    {
      about: { kind: 'organization', id: asked.organizationId },
      limit,
      ...(after && { after }),
      ...(before && { before }),
      filters: {
        concerning: concerningIn(asked.question),
        ...(type && { eventTypes: [type] }),
        ...(actor !== undefined && { actor }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      },
    },
    request.signal,
  );
};

/** The organization's grants in a stretch of time, as far as they were asked for; noted first. */
export const askGrants = async (
  browser: Browser,
  request: FastifyRequest,
  asked: Asked,
): Promise<GrantBars> => {
  await note(browser, request, { ...asked, query: 'grants' });
  const { from, to, before, limit = usualLimit } = asked.question;
  return browser.audit.timeline.grantBars({
    about: { kind: 'organization', id: asked.organizationId },
    concerning: concerningIn(asked.question),
    limit,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(before !== undefined && before !== 'end' && { before }),
  });
};

/** Organizations whose history the auditor may read at this moment; noted first. */
export const askOrganizations = async (browser: Browser, request: FastifyRequest, session: Session) => {
  await note(browser, request, { session, organizationId: null, query: 'organizations', sent: {} });
  const { commands, readModels } = browser;
  const given = await readModels.organizationsAuditedBy(session.userId);
  // The list may be a moment behind; whether one is theirs is the log's to say.
  const still = await Promise.all(
    given.map(({ organizationId }) => commands.isAuditor(organizationId, session.userId)),
  );
  return given.filter((_organization, index) => still[index]);
};

/** The same question, elsewhere in the history. */
export const addressOf = (
  where: '/audit' | '/audit/grants' | '/audit/unused',
  { organizationId, sent: { after: _after, before: _before, ...filters } }: Asked,
  place: Readonly<Record<string, string>>,
): string =>
  `${where}?${new URLSearchParams({ organization: organizationId, ...filters, ...place }).toString()}`;
