import { z } from 'zod';
import type { AdministratorTokenEvent } from '../../domain/administrator-token.ts';
import { instant, schemasOf } from './schemas-of.ts';

export const administratorTokenSchemas = schemasOf<AdministratorTokenEvent>()({
  AdministratorTokenIssued: z.strictObject({
    tokenId: z.string(),
    userId: z.string(),
    organizationId: z.string().nullable(),
    name: z.string(),
    keyId: z.string(),
    salt: z.string(),
    at: instant,
    expiresAt: instant,
  }),
  AdministratorTokenRevoked: z.strictObject({ tokenId: z.string(), at: instant }),
});
