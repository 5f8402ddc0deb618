import { z } from 'zod';
import type { OrganizationEvent } from '../../domain/organization.ts';
import { instant, schemasOf } from './schemas-of.ts';

export const organizationSchemas = schemasOf<OrganizationEvent>()({
  OrganizationCreated: z.strictObject({ organizationId: z.string(), name: z.string(), at: instant }),
  AdministratorAdded: z.strictObject({ userId: z.string(), at: instant }),
  AdministratorRemoved: z.strictObject({ userId: z.string(), at: instant }),
  AuditorAdded: z.strictObject({ userId: z.string(), at: instant }),
  AuditorRemoved: z.strictObject({ userId: z.string(), at: instant }),
});
