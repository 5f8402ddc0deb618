import { z } from 'zod';
import type { ExternalIdEvent } from '../../domain/external-id.ts';
import type { OrganizationEvent } from '../../domain/organization.ts';
import { instant, schemasOf } from './schemas-of.ts';

const source = z.enum(['claim']).nullable();

export const organizationSchemas = schemasOf<OrganizationEvent>()({
  OrganizationCreated: z.strictObject({ organizationId: z.string(), name: z.string(), at: instant }),
  AdministratorAdded: z.strictObject({ userId: z.string(), at: instant, source }),
  AdministratorRemoved: z.strictObject({ userId: z.string(), at: instant, source }),
  AuditorAdded: z.strictObject({ userId: z.string(), at: instant }),
  AuditorRemoved: z.strictObject({ userId: z.string(), at: instant }),
  OrganizationRenamed: z.strictObject({ name: z.string(), at: instant }),
  OrganizationExternalIdSet: z.strictObject({ externalId: z.string(), at: instant }),
  OrganizationClosed: z.strictObject({ at: instant }),
});

export const externalIdSchemas = schemasOf<ExternalIdEvent>()({
  ExternalIdClaimed: z.strictObject({ organizationId: z.string(), at: instant }),
  ExternalIdReleased: z.strictObject({ organizationId: z.string(), at: instant }),
});
