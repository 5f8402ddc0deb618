import type { AuditQuery } from '../../domain/audit-query.ts';
import type { CliService } from '../service.ts';

type Question = {
  readonly organizationId?: string;
  readonly parameters: Readonly<Record<string, string | number | boolean | undefined>>;
};

/** Notes what is asked, before it is answered. @throws when it cannot be noted: then there is no answer */
export const noteQuery = async (
  { commands }: CliService,
  query: AuditQuery,
  { organizationId, parameters }: Question,
): Promise<void> => {
  await commands.recordAuditQuery({
    by: 'operator',
    organizationId: organizationId ?? null,
    query,
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
