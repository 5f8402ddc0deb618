import { z } from 'zod';
import type { AccountEvent, EmailEvent } from '../../domain/account.ts';
import { instant, schemasOf, whole } from './schemas-of.ts';

export const accountSchemas = schemasOf<AccountEvent>()({
  AccountCreated: z.strictObject({
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    roles: z.array(z.enum(['auditor', 'operator'])),
    at: instant,
  }),
  PasswordSet: z.strictObject({ passwordHash: z.string(), at: instant }),
  AccountDisabled: z.strictObject({ epoch: whole, at: instant }),
  AccountEnabled: z.strictObject({ epoch: whole, at: instant }),
  SessionsEnded: z.strictObject({ exceptSession: z.string().nullable(), at: instant }),
  AccountErased: z.strictObject({ at: instant }),
  SignInBlocked: z.strictObject({
    counter: z.enum(['device', 'account-and-address', 'account']),
    failures: whole,
    until: instant,
    at: instant,
  }),
  SignInUnblocked: z.strictObject({ at: instant }),
});

export const emailSchemas = schemasOf<EmailEvent>()({
  EmailClaimed: z.strictObject({ userId: z.string(), at: instant }),
  EmailReleased: z.strictObject({ userId: z.string(), at: instant }),
});
