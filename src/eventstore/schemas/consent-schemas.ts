import { z } from 'zod';
import type { ConsentEvent } from '../../domain/consent.ts';
import { scopes } from '../../domain/scope.ts';
import { instant, schemasOf, whole } from './schemas-of.ts';

export const consentSchemas = schemasOf<ConsentEvent>()({
  ScopesApproved: z.strictObject({
    userId: z.string(),
    addonId: z.string(),
    scopes: z.array(z.enum(scopes)),
    epoch: whole,
    at: instant,
  }),
  AudienceApproved: z.strictObject({
    userId: z.string(),
    addonId: z.string(),
    audience: z.string(),
    scopes: z.array(z.enum(scopes)),
    epoch: whole,
    at: instant,
  }),
  ConsentWithdrawn: z.strictObject({
    userId: z.string(),
    addonId: z.string(),
    epoch: whole,
    at: instant,
  }),
});
