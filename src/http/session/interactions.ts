import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { EndInteraction, HasEnded } from '../../projections/working-state/done-once.ts';
import type { AuthorizationRequest } from '../oauth/authorize/authorization-request.ts';
import { noteWishes } from '../requests/reader-of.ts';
import type { SignOutRequest } from '../oauth/identity/sign-out-request.ts';
import type { Cookies } from './cookies.ts';
import type { ValueSigner } from './value-signer.ts';

/** The user's pending action. It travels signed in the form; the browser's cookie holds its id. */
export type Pending =
  | {
      readonly kind: 'sign-in';
      readonly returnTo: string;
      /** The user is signed in, and has to do it once more before a change of the account. */
      readonly again?: true;
    }
  | {
      readonly kind: 'authorize';
      readonly request: AuthorizationRequest;
      /** The user to whom the approval page was shown: only that user's answer counts. Null before. */
      readonly approver: string | null;
      /** The subjects that the approval page offered, as `choiceOf` names them; absent before. */
      readonly choice?: string;
      /** The session that began with this interaction's sign-in; absent before. */
      readonly signedIn?: string;
    }
  | {
      readonly kind: 'sign-out';
      readonly request: SignOutRequest;
      /** The session whose user was asked to confirm; null before. */
      readonly sessionId: string | null;
    };

export type Interaction = { readonly id: string; readonly expiresAt: Instant; readonly pending: Pending };

export type InteractionRefusal =
  'malformed' | 'expired' | 'session-ended' | 'other-browser' | 'used' | 'too-many-failures';

const lifetime = 10 * 60 * 1000;

type Dependencies = {
  readonly signer: ValueSigner;
  readonly cookies: Cookies;
  readonly end: EndInteraction;
  readonly hasEnded: HasEnded;
  readonly now: () => Instant;
};

/**
 * Signed, expiring, single-use and bound to one browser (AZ-40). Of two concurrent uses, even on different instances,
 * `end` accepts only one. The cookie has used ids first: they are the first to be dropped.
 */
export const makeInteractions = ({ signer, cookies, end, hasEnded, now }: Dependencies) => {
  const usedFirst = (request: FastifyRequest, id: string) => [
    id,
    ...cookies.pending(request).filter((other) => other !== id),
  ];
  const begin = (reply: FastifyReply, others: readonly string[], pending: Pending): Interaction => {
    noteLocales(reply.request, pending);
    const id = randomBytes(16).toString('base64url');
    cookies.setPending(reply, [...others, id]);
    return { id, expiresAt: now() + lifetime, pending };
  };
  return {
    begin: (request: FastifyRequest, reply: FastifyReply, pending: Pending) =>
      begin(reply, cookies.pending(request), pending),
    /** Ends it and begins another one. Null when it has already ended. */
    renew: async (
      request: FastifyRequest,
      reply: FastifyReply,
      interaction: Interaction,
      pending: Pending,
    ) =>
      (await end(interaction.id, interaction.expiresAt))
        ? begin(reply, usedFirst(request, interaction.id), pending)
        : null,
    // Each page that is shown has forms of its own.
    sign: (interaction: Interaction) =>
      signer.sign({ ...interaction, form: randomBytes(16).toString('base64url') }),
    verify: (request: FastifyRequest, signed: string | undefined) => {
      const interaction = signer.verify(signed ?? '') as Interaction | null;
      if (!interaction) return 'malformed';
      noteLocales(request, interaction.pending);
      if (interaction.expiresAt <= now()) return 'expired';
      return cookies.pending(request).includes(interaction.id) ? interaction : 'other-browser';
    },
    /** Whether a form of it was used. Not reliable under concurrency: only `consume` decides which of two requests wins. */
    isUsed: ({ id }: Interaction) => hasEnded(id),
    /** Ends it: no other form of it works, in any browser. False when it has already ended. */
    consume: async (request: FastifyRequest, reply: FastifyReply, interaction: Interaction) => {
      if (!(await end(interaction.id, interaction.expiresAt))) return false;
      cookies.setPending(reply, usedFirst(request, interaction.id));
      return true;
    },
    /** The browser may receive the response to this form or interaction again, although it is used. */
    remember: (request: FastifyRequest, reply: FastifyReply, id: string) =>
      cookies.setPending(reply, usedFirst(request, id)),
  };
};

export type Interactions = ReturnType<typeof makeInteractions>;

/** The pages of a sign-in or an approval are in the language that the add-on asked for. */
export const noteLocales = (request: FastifyRequest, pending: Pending): void => {
  const uiLocales = pending.kind === 'authorize' ? pending.request.passedOn['ui_locales'] : undefined;
  if (uiLocales !== undefined) noteWishes(request, { uiLocales });
};
