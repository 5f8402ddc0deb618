import { z } from 'zod';
import { grantsQuery, timelineQuery } from './audit.ts';

// Forms of our own pages. They are no public interface: their hidden fields are signed and bound to one browser.

const interaction = z.string().describe('Hidden: the user’s pending action, signed.');
const csrf = z.string().describe('Hidden: proves that the form was made for this session.');

export const signInQuery = z.object({
  return_to: z.string().max(2_048).optional().describe('An own path to go to afterwards.'),
  again: z
    .string()
    .optional()
    .describe('`1`: also a user who is signed in signs in once more, before a change of the account.'),
});

export const passkeySignInQuery = z.object({
  interaction: interaction
    .optional()
    .describe('The pending action of the sign-in page; a plain sign-in without it.'),
});

const challenge = z.string().max(1024).describe('Hidden: the challenge, signed.');
const credential = z
  .string()
  .max(16_000)
  .describe('Hidden: the browser’s answer to the challenge (WebAuthn), as JSON.');

export const passkeySignInForm = z
  .object({ interaction, challenge, credential })
  .describe('The form of the page for passkeys, which its script sends.');

export const newPasskeyForm = z
  .object({ csrf, challenge, credential, name: z.string().max(100) })
  .describe('The form for a new passkey, which its script sends.');

export const renamePasskeyForm = z
  .object({ csrf, name: z.string().max(100) })
  .describe('The form for another name of a passkey.');

export const signInForm = z
  .object({
    interaction,
    email: z.string().max(254).meta({ format: 'email' }),
    password: z.string().max(1024),
  })
  .describe('The form of the sign-in page.');

export const continueQuery = z.object({ interaction });

export const decisionForm = z
  .object({
    interaction,
    decision: z.enum(['approve', 'deny']),
    subject: z
      .string()
      .optional()
      .describe('For whom: `user`, or `organization:` with its id. Needed to approve.'),
  })
  .describe('The form of the approval page.');

export const interactionForm = continueQuery.describe('A form of one button, in the middle of something.');

export const sessionForm = z.object({ csrf }).describe('A form of one button.');

export const revokeGrantForm = z
  .object({ csrf, reason: z.string().max(500).optional().describe('Why, for the audit log.') })
  .describe('The form that revokes one grant.');

export const newTokenForm = z
  .object({
    csrf,
    name: z.string().max(100),
    organization: z.string().describe('An organization’s id, or `all`.'),
    days: z.string().describe('From 1 to 365.'),
  })
  .describe('The form for an administrator token.');

const newPassword = z.string().max(256).describe('8 to 256 characters.');

export const changePasswordForm = z
  .object({
    csrf,
    present: z.string().max(1024).describe('The present password.'),
    password: newPassword,
    again: z.string().max(1024).describe('The same once more.'),
  })
  .describe('The form for another password.');

export const choosePasswordQuery = z.object({ link: z.string().describe('The token of the link.') });

export const choosePasswordForm = z
  .object({
    link: z.string().max(1024).describe('Hidden: the token of the link.'),
    password: newPassword,
    again: z.string().max(1024).describe('The same once more.'),
    keep_identities: z
      .literal('yes')
      .optional()
      .describe(
        'The identities of providers that are linked to the account stay linked; otherwise they are unlinked.',
      ),
  })
  .describe('The form of a link for choosing a password.');

export const accountQuery = z.object({
  withdrawn: z.string().optional().describe('Id of the add-on whose access was just withdrawn.'),
  revoked: z.string().optional().describe('Id of the administrator token that was just revoked.'),
  password: z.string().optional().describe('`changed` after the password was changed.'),
  ended: z.string().optional().describe('Id of the session that was just ended, or `others`.'),
  passkey: z.string().optional().describe('Id of the passkey that was just added.'),
  removed: z.string().optional().describe('Id of the passkey that was just removed.'),
  problem: z.string().optional().describe('Why the last action was not done.'),
});

const organization = z.string().optional().describe('Whose audit log: the organization’s id.');
export const auditPageQuery = z.object({ organization, ...timelineQuery.shape });
export const auditGrantsPageQuery = z.object({ organization, ...grantsQuery.shape });

const { addon, from, to } = timelineQuery.shape;
export const auditQuestionsPageQuery = z.object({ organization });
export const auditExposurePageQuery = z.object({ organization, addon, from, to });
export const auditUnusedPageQuery = z.object({
  organization,
  days: z.int().min(0).max(3650).default(90).describe('Number of days.'),
  after_grant: grantsQuery.shape.addon.describe('Only grants that were issued after this one: its id.'),
});
export const auditLogPageQuery = z.object({ organization, from });

export const adminQuery = z.object({
  problem: z.string().optional().describe('Why the last click did nothing: a problem’s name.'),
});

export const grantPagesQuery = z.object({
  after: z.string().optional().describe('Only grants that were issued after this one: its id.'),
});

export const receiptQuery = z.object({
  receipt: z.string().optional().describe('What the deactivation answered, signed.'),
});
