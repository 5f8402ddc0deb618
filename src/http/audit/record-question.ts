import type { FastifyRequest } from 'fastify';
import type { AuditQuery } from '../../domain/log/audit-query.ts';
import type { GrantBars, TimelinePage } from '../../audit/timeline/timeline.ts';
import type { AuditDependencies } from './dependencies.ts';
import { contextOf } from '../requests/trace.ts';
import { concerningIn, type Question } from './question.ts';
import type { FileKind } from './timeline-files.ts';

export type Asking = { readonly userId: string; readonly tokenId?: string | null };

/** A valid and permitted query, with the person who asks. */
export type Asked = {
  readonly by: Asking;
  readonly organizationId: string;
  readonly question: Question;
  readonly sent: Readonly<Record<string, string>>;
};

type Note = {
  readonly by: Asking;
  readonly organizationId: string | null;
  readonly query: AuditQuery;
  readonly sent: Readonly<Record<string, string>>;
};

type Recording = { readonly commands: Pick<AuditDependencies['commands'], 'recordAuditQuery'> };

/** Records a query in the log. If that fails, the query must fail: nothing is answered that was not recorded. */
export const note = (
  { commands }: Recording,
  request: FastifyRequest,
  { by: { userId, tokenId }, organizationId, query, sent }: Note,
): Promise<void> =>
  commands.recordAuditQuery(
    { by: userId, organizationId, query, parameters: sent, ...(tokenId && { tokenId }) },
    contextOf(request),
  );

const usualLimit = 50;

/** What answers about an organization's events, and records the query. */
export type TimelineSources = Recording & Pick<AuditDependencies, 'timeline'>;

/** The organization's events that match the query; the query is recorded first. */
export const askTimeline = async (
  dependencies: TimelineSources,
  request: FastifyRequest,
  asked: Asked,
): Promise<TimelinePage> => {
  await note(dependencies, request, { ...asked, query: 'timeline' });
  const { type, actor, from, to, after, before, limit = usualLimit } = asked.question;
  return dependencies.timeline.page(
    {
      about: { kind: 'organization', id: asked.organizationId },
      limit,
      after,
      before,
      filters: { concerning: concerningIn(asked.question), eventTypes: type && [type], actor, from, to },
    },
    request.signal,
  );
};

/** The organization's grants that match the query; the query is recorded first. */
export const askGrants = async (
  dependencies: AuditDependencies,
  request: FastifyRequest,
  asked: Asked,
): Promise<GrantBars> => {
  await note(dependencies, request, { ...asked, query: 'grants' });
  const { from, to, before, limit = usualLimit } = asked.question;
  return dependencies.timeline.grantBars({
    about: { kind: 'organization', id: asked.organizationId },
    concerning: concerningIn(asked.question),
    limit,
    from,
    to,
    before: before === 'end' ? undefined : before,
  });
};

/** The organizations whose audit log the auditor may read at this moment; the query is recorded first. */
export const askOrganizations = async (
  dependencies: AuditDependencies,
  request: FastifyRequest,
  by: Asking,
) => {
  await note(dependencies, request, { by, organizationId: null, query: 'organizations', sent: {} });
  const { commands, readModels } = dependencies;
  const given = await readModels.organizationsAuditedBy(by.userId);
  // The read model may be a moment behind; the log decides who is an auditor of what.
  const still = await Promise.all(
    given.map(({ organizationId }) => commands.isAuditor(organizationId, by.userId)),
  );
  return given.filter((_organization, index) => still[index]);
};

/** The query without its place, so that another page of the answer can be asked for. */
export const filtersOf = ({
  sent: { after: _after, before: _before, ...filters },
}: Pick<Asked, 'sent'>): Readonly<Record<string, string>> => filters;

export const addressOf = (
  where: '/audit' | `/audit/timeline.${FileKind}` | '/audit/exposure' | '/audit/grants' | '/audit/unused',
  asked: Asked,
  place: Readonly<Record<string, string>>,
): string =>
  `${where}?${new URLSearchParams({ organization: asked.organizationId, ...filtersOf(asked), ...place }).toString()}`;
