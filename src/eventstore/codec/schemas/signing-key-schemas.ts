import { z } from 'zod';
import type { SigningKeyEvent } from '../../../domain/log/signing-key-history.ts';
import { instant, mustKnow, schemasOf } from './schemas-of.ts';

export const signingKeySchemas = schemasOf<SigningKeyEvent>()({
  SigningKeyMade: mustKnow({
    kid: z.string(),
    alg: z.string(),
    publicJwk: z.string(),
    createdAt: instant,
    currentFrom: instant,
    at: instant,
  }),
  SigningKeyPublished: mustKnow({ kid: z.string(), at: instant }),
  SigningKeyRetired: mustKnow({
    kid: z.string(),
    at: instant,
    publishedUntil: instant,
    reason: z.enum(['superseded', 'missing']),
    successor: z.string().nullable(),
  }),
});
