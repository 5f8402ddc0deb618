import { z } from 'zod';
import type { SessionEvent } from '../../../domain/sign-in/session.ts';
import { instant, mustKnow, schemasOf } from './schemas-of.ts';

export const sessionSchemas = schemasOf<SessionEvent>()({
  SessionStarted: mustKnow({
    sessionId: z.string(),
    userId: z.string(),
    keyId: z.string(),
    salt: z.string(),
    at: instant,
    expiresAt: instant,
    device: z.string().nullable(),
    network: z.string().nullable(),
    upstream: z
      .strictObject({
        provider: z.string(),
        authTime: instant.nullable(),
        acr: z.string().nullable(),
        amr: z.array(z.string()).nullable(),
      })
      .nullable(),
    passkey: z.strictObject({ passkeyId: z.string(), amr: z.array(z.string()) }).nullable(),
  }),
  ActivationHandedOff: mustKnow({
    organizationId: z.string(),
    addonId: z.string(),
    at: instant,
    expiresAt: instant,
  }),
  SessionEnded: mustKnow({ at: instant }),
});
