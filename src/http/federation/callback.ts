import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { markName } from '../../domain/kernel/sentence.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { FederationDependencies } from './dependencies.ts';
import { formOf, only, queryOf } from '../requests/params.ts';
import { pagePath } from '../base/routes.ts';
import { admitIdentity, admitStep } from '../session/admit-step.ts';
import { type Interaction, noteLocales } from '../session/interactions.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { originOf } from '../session/origin-of.ts';
import { leaveFormerSession, nextAddress } from '../session/sign-in.ts';
import { contextOf } from '../requests/trace.ts';
import { makeLeave, makeLeaveOn, showTrouble } from './redirect-to-provider.ts';
import { wayBack } from '../session/way-on.ts';

/** How long a sign-in that has changed roles waits for the read models, in milliseconds. */
const mappingShown = 2_000;

type Named = { readonly params: { readonly provider: string } };

/** To a provider and back: the button of the sign-in page, and the address that the provider sends the browser to. */
export const registerFederation = (app: FastifyInstance, dependencies: FederationDependencies): void => {
  const { browser, commands, federation, readModels } = dependencies;
  const { base, config, cookies, interactions } = browser;
  const leave = makeLeave(dependencies);
  const leaveOn = makeLeaveOn(dependencies);
  const providerOf = (request: FastifyRequest) =>
    federation.providers.find(({ id }) => id === (request as unknown as Named).params.provider);

  const go = async (request: FastifyRequest, reply: FastifyReply) => {
    const provider = providerOf(request);
    if (!provider) return refuse(reply, 404, 'unknown');
    const interaction = interactions.verify(request, only(formOf(request), 'interaction'));
    if (typeof interaction === 'string') return browser.refuseInteraction(reply, interaction);
    if (interaction.pending.kind === 'sign-out') return browser.refuseInteraction(reply, 'malformed');
    return leave(request, reply, provider.id, interaction);
  };

  const callback = async (request: FastifyRequest, reply: FastifyReply) => {
    const provider = providerOf(request);
    if (!provider) return refuse(reply, 404, 'unknown');
    if (!(await admitStep(dependencies, request, reply))) return reply;
    const state = only(queryOf(request), 'state');
    if (state === undefined) return refuse(reply, 400, 'incomplete');
    const pending = cookies.pending(request);
    if (!pending.includes(state)) return refuse(reply, 400, 'otherBrowser');
    const address = new URL(`${config.baseUrl}/sign-in/callback/${provider.id}`);
    address.search = request.raw.url?.replace(/^[^?]*/, '') ?? '';
    const returned = await federation.back<Interaction>(provider.id, state, address);
    const others = pending.filter((id) => id !== state);
    cookies.setPending(reply, others);
    switch (returned.kind) {
      case 'refused':
        return refuse(reply, 400, returned.refusal === 'used' ? 'used' : 'otherProvider');
      case 'trouble':
        return showTrouble(dependencies, reply, provider.id, returned.waiting, returned.trouble);
      case 'again':
        return leaveOn(request, reply, provider.id, returned.trip);
      case 'identified':
        return start(request, reply, provider, returned);
    }
  };

  const start = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { id, name }: { readonly id: string; readonly name: string },
    {
      waiting,
      identity,
    }: Extract<Awaited<ReturnType<typeof federation.back<Interaction>>>, { kind: 'identified' }>,
  ) => {
    noteLocales(request, waiting.pending);
    if (await interactions.isUsed(waiting)) return browser.refuseInteraction(reply, 'used');
    if (!(await admitIdentity(dependencies, reply, identity))) return reply;
    const signedIn = await commands.signInWithProvider(
      { ...identity, origin: originOf(request) },
      contextOf(request),
    );
    if (!signedIn.ok)
      return browser.message(reply, 403, ({ provider, frame }) => ({
        title: provider.notSignedIn,
        message:
          signedIn.refusal === 'ended-meanwhile'
            ? provider.endedMeanwhile(markName(name))
            : provider.disabled(markName(name)),
        next: { href: wayBack(browser, waiting), label: frame.tryAgain },
      }));
    await leaveFormerSession(dependencies, request);
    const { session, cookie, mappedAt } = signedIn.value;
    cookies.setSession(reply, cookie);
    cookies.setWay(reply, `with ${id}`);
    // The first page already shows what a claim gave; late read models are no failure.
    if (mappedAt) await withTimeoutOrNull(mappingShown, readModels.waitFor(mappedAt, mappingShown));
    return reply.redirect(base + (await nextAddress(dependencies, request, reply, waiting, session)), 303);
  };

  const refuse = (
    reply: FastifyReply,
    status: number,
    why: 'unknown' | 'incomplete' | 'otherBrowser' | 'used' | 'otherProvider',
  ) =>
    browser.message(reply, status, ({ provider, errors, frame }) => ({
      title: errors.startAgain,
      message: provider[why],
      next: { href: '/sign-in', label: frame.signIn },
    }));

  const other = methodNotAllowedPage(browser);
  pagePath(app, '/sign-in/with/{provider}', { POST: go }, other);
  pagePath(app, '/sign-in/callback/{provider}', { GET: callback }, other, { head: false });
};
