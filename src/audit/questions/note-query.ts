import { breakGlass } from '../../domain/kernel/actor.ts';
import type { AuditQuery } from '../../domain/log/audit-query.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import type { AuditService } from './service.ts';

type Question = {
  readonly organizationId?: string;
  readonly parameters: Readonly<Record<string, string | number | boolean | undefined>>;
};

/** Records a query before it is answered. @throws when it cannot be; NotAllowed for an auditor who may not read the organization */
export const noteQuery = async (
  { commands, actor }: AuditService,
  query: AuditQuery,
  { organizationId, parameters }: Question,
): Promise<void> => {
  const { user } = actor;
  if (user !== null && !user.roles.includes('operator')) {
    const mayAsk = organizationId !== undefined && (await commands.isAuditor(organizationId, user.userId));
    if (!mayAsk)
      throw new NotAllowed(
        'not-your-organization',
        'an auditor asks about one organization (--organization) whose audit log the account may read',
      );
  }
  await commands.recordAuditQuery({
    by: user?.userId ?? breakGlass,
    organizationId: organizationId ?? null,
    query,
    ...(user && user.tokenId !== null && { tokenId: user.tokenId }),
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        value === undefined ? undefined : String(value),
      ]),
    ),
  });
};

export const timeText = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString();
