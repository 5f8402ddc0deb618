import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizeDependencies } from './dependencies.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import type { Session } from '../../../commands/sign-in/read-session.ts';
import { withTimeoutOrNull } from '../../../common/with-timeout.ts';
import { offersOf, onlyProvider, type Leave } from '../../federation/redirect-to-provider.ts';
import { asksWho } from '../../../domain/access/prompt.ts';
import { dataUrlOf } from '../../pages/data-url.ts';
import { approvalPage } from './views/approval-page.ts';
import { impossiblePage } from './views/impossible-page.ts';
import type { HttpConfig } from '../../base/dependencies.ts';
import { sendPage } from '../../pages/page-answer.ts';
import { signInPage } from '../../session/views/session-pages.ts';
import type { Interaction } from '../../session/interactions.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { PendingAuthorization } from './next-step.ts';
import { audiencesOf, foreignIn } from '../token/resources.ts';
import { noteClient, noteReason } from '../../limits/refusals.ts';
import { choiceOf, type Candidate, type Impossible } from './subject-candidates.ts';
import { readerOf } from '../../requests/reader-of.ts';
import { eachWebAddress } from '../../../domain/addons/web-addresses.ts';

export const makeAuthorizationPages = (
  { browser, commands, readModels, federation }: AuthorizeDependencies,
  leave: Leave,
  { interactions, config } = browser,
) => ({
  /** `session` is one that does not suffice: too old, or of another user than the add-on asks for. */
  signIn: async (
    request: FastifyRequest,
    reply: FastifyReply,
    addon: Addon,
    interaction: Interaction,
    { loginHint, hintedUserId, prompt }: AuthorizationRequest,
    session: Session | null,
  ): Promise<FastifyReply> => {
    const only = onlyProvider(federation);
    if (only !== null) return leave(request, reply, only, interaction);
    const logo = await withTimeoutOrNull(1_000, commands.addonLogo(addon));
    const isAnother = session !== null && hintedUserId !== null && session.userId !== hintedUserId;
    const html = signInPage({
      ...browser.frame,
      reader: readerOf(browser, request),
      ...offersOf(federation, config.baseUrl, browser.cookies.way(request)),
      interaction: interactions.sign(interaction),
      addonName: addon.name,
      addonLogo: logo && dataUrlOf(logo),
      email: loginHint ?? (isAnother || asksWho(prompt) ? '' : (session?.address ?? '')),
      failed: false,
      notSignedInAs: isAnother ? session.name : null,
    });
    return sendPage(reply, 200, html, 'leads-out');
  },

  /** Signed again with the id of the user who is asked, so that nobody else can approve it. */
  approval: async (
    reply: FastifyReply,
    addon: Addon,
    interaction: Interaction,
    shown: PendingAuthorization,
    session: Session,
    candidates: readonly Candidate[],
  ): Promise<FastifyReply> => {
    const [administered, logo] = await Promise.all([
      shown.request.select
        ? null
        : withTimeoutOrNull(1_000, readModels.organizationsAdministeredBy(session.userId)),
      withTimeoutOrNull(1_000, commands.addonLogo(addon)),
    ]);
    const { request } = shown;
    const audiences = audiencesOf(request.resources, config.baseUrl);
    const pending = { ...shown, approver: session.userId, choice: choiceOf(candidates) };
    const html = approvalPage({
      ...browser.frame,
      interaction: interactions.sign({ ...interaction, pending }),
      addonName: addon.name,
      reader: readerOf(browser, reply.request),
      addonLogo: logo && dataUrlOf(logo),
      publisher: addon.publisher,
      verified: addon.verified,
      ...eachWebAddress((name) => addon[name]),
      registeredAt: addon.registeredAt,
      lasts: lastsFor(addon, config),
      destination: destinationOf(request.redirectUri),
      signedIn: session.name,
      email: session.email,
      mayBeAnother: request.hintedUserId === null,
      scopes: request.scopes,
      isForOwnApi: foreignIn(audiences).length < audiences.length,
      resourceServers: await Promise.all(
        foreignIn(audiences).map(async (audience) => ({
          audience,
          name: await resourceServerName(commands, addon, audience),
        })),
      ),
      notActivated: (administered ?? []).filter(
        ({ organizationId }) => !candidates.some(({ key }) => key === `organization:${organizationId}`),
      ),
      canBeActivated: addon.configurationUrl !== null,
      subjects: candidates.map(({ key, name, subject, handedOff, remembered }) => ({
        key,
        name,
        kind: subject.kind,
        justActivated: handedOff,
        newScopes:
          remembered.scopes.length === 0
            ? null
            : request.scopes.filter((scope) => !remembered.scopes.includes(scope)),
      })),
    });
    return sendPage(reply, 200, html, 'leads-out');
  },

  /** The user cannot decide for what the add-on asks for; the button is the same as "Do not allow" on the other page. */
  impossible: (
    reply: FastifyReply,
    addon: Addon,
    interaction: Interaction,
    shown: PendingAuthorization,
    session: Session,
    { why, ...about }: Impossible,
  ): FastifyReply => {
    const { request } = shown;
    noteClient(reply.request, request.clientId);
    noteReason(reply.request, 'nobody-to-act-for');
    const html = impossiblePage({
      ...browser.frame,
      reader: readerOf(browser, reply.request),
      interaction: interactions.sign({ ...interaction, pending: { ...shown, approver: session.userId } }),
      addonName: addon.name,
      destination: destinationOf(request.redirectUri),
      signedIn: session.name,
      email: session.email,
      mayBeAnother: request.hintedUserId === null,
      canBeActivated: addon.configurationUrl !== null,
      why,
      organization: 'name' in about ? about.name : 'named' in about ? about.named : '',
    });
    return sendPage(reply, 403, html, 'leads-out');
  },
});

const resourceServerName = async (
  { findAddon }: AuthorizeDependencies['commands'],
  { allowedAudiences }: Addon,
  audience: string,
): Promise<string | null> => {
  const id = allowedAudiences.find((allowed) => allowed.audience === audience)?.resourceServerId;
  return id ? ((await findAddon(id))?.name ?? null) : null;
};

/** Without refresh tokens, access is over with the first access token. */
const lastsFor = ({ grantTypes }: Addon, { accessLasts = usual }: HttpConfig) =>
  grantTypes.includes('refresh_token')
    ? accessLasts
    : { unused: accessLasts.unrefreshed, most: accessLasts.unrefreshed };

const usual = { unrefreshed: 3_600, unused: 30 * 86_400, most: 365 * 86_400 };

/** Host, or scheme of an app, to which the browser will be sent. */
export const destinationOf = (redirectUri: string): string =>
  /^https?:\/\/([^/?]+)/.exec(redirectUri)?.[1] ?? redirectUri.replace(/:.*$/s, '');
