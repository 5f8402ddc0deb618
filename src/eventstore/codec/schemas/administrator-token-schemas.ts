import { z } from 'zod';
import type { AdministratorTokenEvent } from '../../../domain/people/administrator-token.ts';
import { instant, mustKnow, schemasOf } from './schemas-of.ts';

export const administratorTokenSchemas = schemasOf<AdministratorTokenEvent>()({
  AdministratorTokenIssued: mustKnow({
    tokenId: z.string(),
    userId: z.string(),
    organizationId: z.string().nullable(),
    name: z.string(),
    keyId: z.string(),
    salt: z.string(),
    at: instant,
    expiresAt: instant,
  }),
  AdministratorTokenRevoked: mustKnow({ tokenId: z.string(), at: instant }),
});
