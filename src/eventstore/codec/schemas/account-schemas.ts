import { z } from 'zod';
import type { AccountEvent, EmailEvent } from '../../../domain/people/account.ts';
import type { IdentityEvent } from '../../../domain/people/identity.ts';
import type { OperatorsEvent } from '../../../domain/people/operators.ts';
import { instant, maySkip, mustKnow, schemasOf, whole } from './schemas-of.ts';

const role = z.enum(['auditor', 'operator']);
const source = z.enum(['manual', 'claim']);
const vouchedBy = z.enum(['operator', 'provider', 'nobody']).nullable();

export const accountSchemas = schemasOf<AccountEvent>()({
  AccountCreated: mustKnow({
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    roles: z.array(role),
    at: instant,
    emailVouchedBy: vouchedBy,
  }),
  PasswordSet: mustKnow({
    passwordHash: z.string(),
    at: instant,
    ended: z.strictObject({ exceptSession: z.string().nullable() }).nullable(),
  }),
  PasswordLinkIssued: mustKnow({
    digest: z.string(),
    purpose: z.enum(['invitation', 'reset']),
    expiresAt: instant,
    at: instant,
  }),
  AccountDisabled: mustKnow({ epoch: whole, at: instant }),
  AccountEnabled: mustKnow({ epoch: whole, at: instant }),
  SessionsEnded: mustKnow({ exceptSession: z.string().nullable(), at: instant }),
  AccountErased: mustKnow({ at: instant }),
  SignInBlocked: maySkip({
    counter: z.enum(['device', 'account-and-address', 'account']),
    failures: whole,
    until: instant,
    at: instant,
  }),
  SignInUnblocked: maySkip({ at: instant }),
  AccountRenamed: maySkip({ name: z.string(), at: instant }),
  AccountEmailChanged: mustKnow({ email: z.string(), at: instant, emailVouchedBy: vouchedBy }),
  RoleGranted: mustKnow({ role, source, at: instant }),
  RoleRemoved: mustKnow({ role, source, at: instant }),
  IdentityLinked: mustKnow({
    provider: z.string(),
    issuer: z.string(),
    subject: z.string(),
    digest: z.string(),
    at: instant,
  }),
  IdentityUnlinked: mustKnow({ provider: z.string(), digest: z.string(), at: instant }),
  PasskeyAdded: mustKnow({
    passkeyId: z.string(),
    name: z.string(),
    credentialId: z.string(),
    publicKey: z.string(),
    counter: whole,
    synced: z.boolean(),
    at: instant,
  }),
  PasskeyRenamed: maySkip({ passkeyId: z.string(), name: z.string(), at: instant }),
  PasskeyRemoved: mustKnow({
    passkeyId: z.string(),
    exceptSession: z.string().nullable(),
    at: instant,
  }),
  OrganizationsMapped: mustKnow({
    organizationIds: z.array(z.string()),
    at: instant,
    signedOut: z.literal(true).nullable(),
  }),
});

export const emailSchemas = schemasOf<EmailEvent>()({
  EmailClaimed: mustKnow({ userId: z.string(), at: instant }),
  EmailReleased: mustKnow({ userId: z.string(), at: instant }),
});

export const identitySchemas = schemasOf<IdentityEvent>()({
  IdentityClaimed: mustKnow({ userId: z.string(), at: instant }),
  IdentityReleased: mustKnow({ userId: z.string(), at: instant }),
});

export const operatorsSchemas = schemasOf<OperatorsEvent>()({
  OperatorRemovalAllowed: mustKnow({
    userId: z.string(),
    accountRevision: whole,
    remaining: z.string(),
    at: instant,
  }),
});
