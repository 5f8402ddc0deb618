import { z } from 'zod';
import type { ActivationEvent } from '../../domain/activation.ts';
import { instant, schemasOf, whole } from './schemas-of.ts';

export const activationSchemas = schemasOf<ActivationEvent>()({
  AddonActivated: z.strictObject({
    organizationId: z.string(),
    addonId: z.string(),
    epoch: whole,
    by: z.string(),
    at: instant,
  }),
  AddonDeactivated: z.strictObject({
    organizationId: z.string(),
    addonId: z.string(),
    epoch: whole,
    by: z.string(),
    at: instant,
  }),
  RevocationCompleted: z.strictObject({ epoch: whole, grants: whole, at: instant }),
  AuthorizationRefused: z.strictObject({
    userId: z.string(),
    reason: z.literal('addon-not-active'),
    at: instant,
  }),
});
