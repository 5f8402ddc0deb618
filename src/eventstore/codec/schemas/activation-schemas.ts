import { z } from 'zod';
import type { ActivationEvent } from '../../../domain/organizations/activation.ts';
import { instant, maySkip, mustKnow, schemasOf, whole } from './schemas-of.ts';

export const activationSchemas = schemasOf<ActivationEvent>()({
  AddonActivated: mustKnow({
    organizationId: z.string(),
    addonId: z.string(),
    epoch: whole,
    by: z.string(),
    at: instant,
  }),
  AddonDeactivated: mustKnow({
    organizationId: z.string(),
    addonId: z.string(),
    epoch: whole,
    by: z.string(),
    at: instant,
  }),
  RevocationCompleted: maySkip({ epoch: whole, grants: whole, at: instant }),
  AuthorizationRefused: maySkip({
    userId: z.string(),
    reason: z.literal('addon-not-active'),
    at: instant,
  }),
});
