import { z } from 'zod';
import { auditQueries, type AuditQueryEvent } from '../../../domain/log/audit-query.ts';
import { instant, maySkip, schemasOf } from './schemas-of.ts';

export const auditQuerySchemas = schemasOf<AuditQueryEvent>()({
  AuditQueried: maySkip({
    organizationId: z.string().nullable(),
    query: z.enum(auditQueries),
    parameters: z.array(z.strictObject({ name: z.string(), value: z.string() })),
    at: instant,
  }),
});
