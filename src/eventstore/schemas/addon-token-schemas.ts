import { z } from 'zod';
import { type AddonTokenEvent, signalScopes } from '../../domain/addon-token.ts';
import { instant, schemasOf } from './schemas-of.ts';

export const addonTokenSchemas = schemasOf<AddonTokenEvent>()({
  AddonTokenIssued: z.strictObject({
    tokenId: z.string(),
    addonId: z.string(),
    secretId: z.string(),
    scopes: z.array(z.enum(signalScopes)),
    at: instant,
    expiresAt: instant,
  }),
  AddonTokenRevoked: z.strictObject({ at: instant }),
});
