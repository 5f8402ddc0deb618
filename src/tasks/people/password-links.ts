import { z } from 'zod';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { PasswordLink } from '../../commands/people/credentials/password-links.ts';
import { nameField, reference, secret, text } from '../fields.ts';
import { linkedSentence } from './show-user.ts';
import { task, type Services, type TaskDone, type TaskOutcome } from '../task.ts';
import { publisherNow } from '../../eventstore/state-of.ts';
import { english } from '../../common/words.ts';

const { user: texts } = english.tasks;

const invitation = z.object({
  email: text(texts.fields.email, 254),
  name: nameField(texts.fields.name),
});

const passwordsOff = 'LOCAL_SIGN_IN is off, so nobody signs in with a password';

/** What both answer in addition to the account. */
const adds = z.object({
  link: z.string().meta({ format: 'uri' }).describe('A secret, shown once.'),
  expires_at: z.string().meta({ format: 'date-time' }),
  mailed: z
    .boolean()
    .nullable()
    .describe('`null`: no mail server is configured. `false`: also where nobody vouches for the address.'),
});

/** The same of an account that may have a password already. */
export const linkAnswer = adds.partial();

const valid = 'The link works once, within 24 hours.';

/** The answer always holds the link: also where a mail was sent, and where the mail server failed. */
const done = async (
  { deliverLink, store }: Services,
  kind: 'invitation' | 'reset',
  { userId, position, ...made }: PasswordLink,
): Promise<TaskDone> => {
  const { link, mailed, problem } = await deliverLink({ kind, ...made });
  const sent =
    mailed === null
      ? 'Give the link to the person yourself.'
      : mailed
        ? 'The link was sent by mail.'
        : `The mail was not sent: ${problem}. Give the link to the person yourself.`;
  return {
    ok: true,
    text: `${kind === 'invitation' ? 'Invited' : 'Made a link'}: ${link}\n${valid} ${sent}${await linkedSentence(store, userId)}`,
    position,
    id: userId,
    json: { link, expires_at: new Date(made.expiresAt).toISOString(), mailed },
  };
};

export const invite = task({
  name: 'invite',
  ...texts.invite,
  input: z.object({
    ...invitation.shape,
    publisher: reference(texts.invite.fields.publisher, 'publisher').optional(),
  }),
  adds,
  isCreating: true,
  run: async (services, _id, { publisher: publisherId, ...input }, context) => {
    if (publisherId === undefined) return inviteBy(services, input, context);
    const { commands, store } = services;
    if ((await publisherNow(store, publisherId)).status === 'unknown')
      return {
        ok: false,
        refusal: 'invalid',
        message: 'there is no such publisher; grantbook publisher list finds publishers',
        problems: [{ field: 'publisher', message: english.problems.noPublisher }],
      };
    return inviteBy(services, input, context, async (userId) => {
      await commands.addPublisherMember({ publisherId, userId }, context);
    });
  },
});

/** @param before what is done with the account before its link is out */
export const inviteBy = async (
  services: Services,
  input: z.infer<typeof invitation>,
  context: CommandContext,
  before: (userId: string) => Promise<void> = () => Promise.resolve(),
): Promise<TaskOutcome> => {
  const outcome = await services.commands.inviteUser(input, context);
  if (outcome.ok) {
    await before(outcome.value.userId);
    return done(services, 'invitation', outcome.value);
  }
  const { refusal, problems = [] } = outcome;
  const message = {
    'email-taken': 'another account has this e-mail address',
    'passwords-off': passwordsOff,
    invalid: 'the account cannot be created like this',
  }[refusal];
  return { ok: false, refusal, message, problems };
};

export const resetPassword = task({
  name: 'reset-password',
  ...texts['reset-password'],
  isMain: true,
  isCreating: true,
  input: z.object({}),
  adds,
  run: async (services, userId, _input, context) => {
    const outcome = await services.commands.issuePasswordLink(userId, context);
    if (outcome.ok) return done(services, 'reset', outcome.value);
    return { ok: false, refusal: outcome.refusal, message: refusals[outcome.refusal](userId) };
  },
});

export const setPassword = task({
  name: 'set-password',
  ...texts['set-password'],
  input: z.object({
    password: secret(texts['set-password'].fields.password),
  }),
  run: async ({ commands }, userId, { password }, context) => {
    const outcome = await commands.setPassword({ userId, password }, context);
    if (outcome.ok)
      return {
        ok: true,
        text: `Set: ${userId} signs in with the new password; every session has ended.`,
        position: outcome.value.position,
      };
    const { refusal, problems = [] } = outcome;
    const message = refusal === 'invalid' ? 'the password cannot be set' : refusals[refusal](userId);
    return { ok: false, refusal, message, problems };
  },
});

const refusals = {
  'user-unknown': (id: string) => `no account has the user_id ${id}`,
  'user-erased': () => 'the account was erased, which cannot be undone',
  'passwords-off': () => passwordsOff,
  'user-disabled': () => 'the account is disabled: enable it first',
};
