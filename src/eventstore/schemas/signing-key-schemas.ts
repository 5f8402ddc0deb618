import { z } from 'zod';
import type { SigningKeyEvent } from '../../domain/signing-key-history.ts';
import { instant, schemasOf } from './schemas-of.ts';

export const signingKeySchemas = schemasOf<SigningKeyEvent>()({
  SigningKeyMade: z.strictObject({
    kid: z.string(),
    alg: z.string(),
    publicJwk: z.string(),
    createdAt: instant,
    currentFrom: instant,
    at: instant,
  }),
  SigningKeyPublished: z.strictObject({ kid: z.string(), at: instant }),
  SigningKeyRetired: z.strictObject({
    kid: z.string(),
    at: instant,
    publishedUntil: instant,
    reason: z.enum(['superseded', 'missing']),
    successor: z.string().nullable(),
  }),
});
