import { z } from 'zod';
import { type AddonTokenEvent, signalScopes } from '../../../domain/access/addon-token.ts';
import { instant, mustKnow, schemasOf } from './schemas-of.ts';

export const addonTokenSchemas = schemasOf<AddonTokenEvent>()({
  AddonTokenIssued: mustKnow({
    tokenId: z.string(),
    addonId: z.string(),
    secretId: z.string(),
    scopes: z.array(z.enum(signalScopes)),
    at: instant,
    expiresAt: instant,
  }),
  AddonTokenRevoked: mustKnow({ at: instant }),
});
