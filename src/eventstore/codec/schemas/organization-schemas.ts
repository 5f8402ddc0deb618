import { z } from 'zod';
import type { ExternalIdEvent } from '../../../domain/organizations/external-id.ts';
import type { OrganizationEvent } from '../../../domain/organizations/organization.ts';
import { instant, maySkip, mustKnow, schemasOf } from './schemas-of.ts';

const source = z.enum(['claim']).nullable();

export const organizationSchemas = schemasOf<OrganizationEvent>()({
  OrganizationCreated: mustKnow({ organizationId: z.string(), name: z.string(), at: instant }),
  AdministratorAdded: mustKnow({ userId: z.string(), at: instant, source }),
  AdministratorRemoved: mustKnow({ userId: z.string(), at: instant, source }),
  AuditorAdded: mustKnow({ userId: z.string(), at: instant }),
  AuditorRemoved: mustKnow({ userId: z.string(), at: instant }),
  OrganizationRenamed: maySkip({ name: z.string(), at: instant }),
  OrganizationExternalIdSet: mustKnow({ externalId: z.string(), at: instant }),
  OrganizationClosed: mustKnow({ at: instant }),
});

export const externalIdSchemas = schemasOf<ExternalIdEvent>()({
  ExternalIdClaimed: mustKnow({ organizationId: z.string(), at: instant }),
  ExternalIdReleased: mustKnow({ organizationId: z.string(), at: instant }),
});
