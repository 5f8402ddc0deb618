import type { FastifyReply } from 'fastify';
import type { Addon, Session } from '../../commands/commands.ts';
import type { Browser } from '../browser.ts';
import { approvalPage } from '../pages/approval-page.ts';
import { sendPage } from '../pages/page-answer.ts';
import { signInPage } from '../pages/sign-in-page.ts';
import type { Interaction } from '../session/interactions.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Candidate } from './subject-candidates.ts';

/** The two pages of the authorization flow. */
export const makeShow = ({ interactions, base }: Browser) => ({
  signIn: (reply: FastifyReply, addon: Addon, interaction: Interaction): FastifyReply => {
    const html = signInPage({
      base,
      interaction: interactions.seal(interaction),
      addonName: addon.name,
      email: '',
      failed: false,
    });
    return sendPage(reply, 200, html, 'leads-out');
  },

  /** Sealed again with who is asked, so that nobody else's click approves it. */
  approval: (
    reply: FastifyReply,
    addon: Addon,
    interaction: Interaction,
    request: AuthorizationRequest,
    session: Session,
    candidates: readonly Candidate[],
  ): FastifyReply => {
    const pending = { kind: 'authorize', request, approver: session.userId } as const;
    const before = new Set(candidates.flatMap(({ remembered }) => remembered));
    const html = approvalPage({
      base,
      interaction: interactions.seal({ ...interaction, pending }),
      addonName: addon.name,
      destination: destinationOf(request.redirectUri),
      signedIn: session.name,
      scopes: request.scopes.map((scope) => ({ scope, isNew: before.size > 0 && !before.has(scope) })),
      subjects: candidates.map(({ key, name, subject, remembered }) => ({
        key,
        name,
        kind: subject.kind,
        allowedBefore: remembered,
      })),
    });
    return sendPage(reply, 200, html, 'leads-out');
  },
});

const destinationOf = (redirectUri: string): string =>
  /^https?:\/\/([^/?]+)/.exec(redirectUri)?.[1] ?? redirectUri.replace(/:.*$/s, '');
