import { z } from 'zod';
import type { AccountEvent, EmailEvent } from '../../domain/account.ts';
import type { IdentityEvent } from '../../domain/identity.ts';
import type { OperatorsEvent } from '../../domain/operators.ts';
import { instant, schemasOf, whole } from './schemas-of.ts';

const role = z.enum(['auditor', 'operator']);
const source = z.enum(['manual', 'claim']);

export const accountSchemas = schemasOf<AccountEvent>()({
  AccountCreated: z.strictObject({
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    roles: z.array(role),
    at: instant,
  }),
  PasswordSet: z.strictObject({
    passwordHash: z.string(),
    at: instant,
    ended: z.strictObject({ exceptSession: z.string().nullable() }).nullable(),
  }),
  PasswordLinkIssued: z.strictObject({
    digest: z.string(),
    purpose: z.enum(['invitation', 'reset']),
    expiresAt: instant,
    at: instant,
  }),
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
  AccountRenamed: z.strictObject({ name: z.string(), at: instant }),
  AccountEmailChanged: z.strictObject({ email: z.string(), at: instant }),
  RoleGranted: z.strictObject({ role, source, at: instant }),
  RoleRemoved: z.strictObject({ role, source, at: instant }),
  IdentityLinked: z.strictObject({
    provider: z.string(),
    issuer: z.string(),
    subject: z.string(),
    digest: z.string(),
    at: instant,
  }),
  IdentityUnlinked: z.strictObject({ provider: z.string(), digest: z.string(), at: instant }),
  PasskeyAdded: z.strictObject({
    passkeyId: z.string(),
    name: z.string(),
    credentialId: z.string(),
    publicKey: z.string(),
    counter: whole,
    synced: z.boolean(),
    at: instant,
  }),
  PasskeyRenamed: z.strictObject({ passkeyId: z.string(), name: z.string(), at: instant }),
  PasskeyRemoved: z.strictObject({
    passkeyId: z.string(),
    exceptSession: z.string().nullable(),
    at: instant,
  }),
  OrganizationsMapped: z.strictObject({ organizationIds: z.array(z.string()), at: instant }),
});

export const emailSchemas = schemasOf<EmailEvent>()({
  EmailClaimed: z.strictObject({ userId: z.string(), at: instant }),
  EmailReleased: z.strictObject({ userId: z.string(), at: instant }),
});

export const identitySchemas = schemasOf<IdentityEvent>()({
  IdentityClaimed: z.strictObject({ userId: z.string(), at: instant }),
  IdentityReleased: z.strictObject({ userId: z.string(), at: instant }),
});

export const operatorsSchemas = schemasOf<OperatorsEvent>()({
  OperatorRemovalAllowed: z.strictObject({
    userId: z.string(),
    accountRevision: whole,
    remaining: z.string(),
    at: instant,
  }),
});
