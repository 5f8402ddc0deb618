import { z } from 'zod';
import type { ConsentEvent } from '../../../domain/access/consent.ts';
import { scopes } from '../../../domain/access/scope.ts';
import { instant, mustKnow, schemasOf, whole } from './schemas-of.ts';

export const consentSchemas = schemasOf<ConsentEvent>()({
  ScopesApproved: mustKnow({
    userId: z.string(),
    addonId: z.string(),
    scopes: z.array(z.enum(scopes)),
    epoch: whole,
    choice: z.string().nullable(),
    at: instant,
  }),
  AudienceApproved: mustKnow({
    userId: z.string(),
    addonId: z.string(),
    audience: z.string(),
    scopes: z.array(z.enum(scopes)),
    epoch: whole,
    choice: z.string().nullable(),
    at: instant,
  }),
  ConsentWithdrawn: mustKnow({
    userId: z.string(),
    addonId: z.string(),
    epoch: whole,
    at: instant,
  }),
});
