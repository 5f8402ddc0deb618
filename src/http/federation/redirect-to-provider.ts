import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Federation, Trip } from '../../federation/federation.ts';
import type { ProviderTrouble } from '../../federation/provider-trouble.ts';
import { asksWho } from '../../domain/access/prompt.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import type { Browser } from '../base/browser.ts';
import type { RateLimits } from '../limits/counters/rate-limits.ts';
import { clientNetwork } from '../requests/client-network.ts';
import { dataUrlOf } from '../pages/data-url.ts';
import { retryAfter } from '../answers/problems.ts';
import { relyingPartyOf } from '../passkeys/relying-party.ts';
import { admitStep } from '../session/admit-step.ts';
import { type Interaction, noteLocales } from '../session/interactions.ts';
import { wayBack } from '../session/way-on.ts';

/** The provider that the sign-in page goes straight to; null where the user has a choice. */
export const onlyProvider = ({ local, providers }: Federation): string | null =>
  !local && providers.length === 1 ? (providers[0]?.id ?? null) : null;

export const offersOf = (
  { local, providers }: Pick<Federation, 'local' | 'providers'>,
  baseUrl: string,
  lastWay: string,
) => ({
  local,
  lastWay,
  providers: providers.map(({ id, name, logo }) => ({
    id,
    name,
    ...(logo && { logo: dataUrlOf(logo) }),
  })),
  passkeys: local && relyingPartyOf(baseUrl) !== null,
});

type Leaving = {
  readonly browser: Browser;
  readonly federation: Federation;
  readonly rateLimits: Pick<RateLimits, 'signInSteps'>;
};

export type Leave = (
  request: FastifyRequest,
  reply: FastifyReply,
  providerId: string,
  interaction: Interaction,
) => Promise<FastifyReply>;

/** Sends the browser to a provider, and remembers the interaction until it comes back. */
export const makeLeave = (dependencies: Leaving): Leave => {
  const leaveOn = makeLeaveOn(dependencies);
  return (request, reply, providerId, interaction) =>
    leaveOn(request, reply, providerId, tripOf(interaction));
};

/** The same with a trip that was begun before. */
export const makeLeaveOn =
  (dependencies: Leaving) =>
  async (
    request: FastifyRequest,
    reply: FastifyReply,
    providerId: string,
    trip: Trip<Interaction>,
  ): Promise<FastifyReply> => {
    const { browser, federation } = dependencies;
    const { cookies, config } = browser;
    if (!(await admitStep(dependencies, request, reply))) return reply;
    try {
      const redirectUri = `${config.baseUrl}/sign-in/callback/${providerId}`;
      const network = clientNetwork(request);
      const { state, url } = await federation.leave(providerId, trip, { redirectUri, network });
      const pending = cookies.pending(request).filter((id) => id !== trip.waiting.id);
      cookies.setPending(reply, [...pending, trip.waiting.id, state]);
      return await reply.header('cache-control', 'no-store').redirect(url, 303);
    } catch (error) {
      const trouble = federation.troubleOf(error);
      if (!trouble) throw error;
      return showTrouble(dependencies, reply, providerId, trip.waiting, trouble);
    }
  };

const tripOf = (interaction: Interaction): Trip<Interaction> => {
  const { pending } = interaction;
  if (pending.kind !== 'authorize')
    return { waiting: interaction, passedOn: {}, demand: { again: false, maxAge: null } };
  const { mustSignIn, prompt, passedOn } = pending.request;
  const maxAge = passedOn['max_age'];
  // The provider asks which account to use, but for a password only if it was asked to.
  const again = mustSignIn && (!asksWho(prompt) || prompt.includes('login') || Number(maxAge) === 0);
  const demand = { again, maxAge: maxAge === undefined ? null : Number(maxAge) * 1000 };
  const asked = asksWho(prompt) ? { ...passedOn, prompt: 'select_account' } : passedOn;
  return { waiting: interaction, passedOn: asked, demand };
};

/** Names the provider and says what to do. What the provider itself sent is never shown. */
export const showTrouble = (
  { browser, federation }: Leaving,
  reply: FastifyReply,
  providerId: string,
  waiting: Interaction,
  { kind, found, detail }: ProviderTrouble,
): Promise<FastifyReply> => {
  noteLocales(reply.request, waiting.pending);
  const name = federation.providers.find(({ id }) => id === providerId)?.name ?? providerId;
  browser.logger.warn(
    { provider: providerId, trouble: kind, found, detail, requestId: reply.request.id },
    'a sign-in provider did not do its part',
  );
  const isAway = kind === 'unreachable' || kind === 'too-slow';
  if (isAway) reply.header('retry-after', retryAfter);
  return browser.message(
    reply,
    isAway ? 503 : kind === 'sign-in-refused' ? 403 : 502,
    ({ provider, frame }) => ({
      title: provider.notSignedIn,
      message: provider.trouble(markName(name), found, provider.advice[kind]),
      next: { href: wayBack(browser, waiting), label: frame.tryAgain },
    }),
  );
};
