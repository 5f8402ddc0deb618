import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Commands, CommandsInContext } from '../../commands/commands.ts';
import type { Session } from '../../commands/sign-in/read-session.ts';
import type { SignedIn } from '../../commands/sign-in/sign-in.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { retryAfter } from '../answers/problems.ts';
import { type Browser, telling } from '../base/browser.ts';
import type { SessionDependencies } from './dependencies.ts';
import { pagePath } from '../base/routes.ts';
import { makeLeave, offersOf, onlyProvider } from '../federation/redirect-to-provider.ts';
import { dataUrlOf } from '../pages/data-url.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, one, queryOf } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { makeAnswerBeat, usualBeat } from './answer-beat.ts';
import { attemptOrigin, originOf } from './origin-of.ts';
import type { SignInWay } from './cookies.ts';
import type { Interaction } from './interactions.ts';
import { methodNotAllowedPage } from './refused-method.ts';
import { signInPage, type SignInView } from './views/session-pages.ts';
import { readerOf } from '../requests/reader-of.ts';

/** `return_to` is kept while the user is at a provider. In characters. */
export const longestReturnTo = 2_048;
const longest = { interaction: 16_000, email: 254, password: 1024, return_to: longestReturnTo } as const;
export const signInFields = ['interaction', 'email', 'password'] as const;

/** A path of this server: nothing that a browser could read as another host. */
export const isOwnPath = (value: string): boolean =>
  value.length <= longestReturnTo && /^\/(?![/\\])[\x21-\x7e]*$/.test(value) && !value.includes('\\');

/** `/sign-in`: by itself, or as the first page of an authorization. */
export const registerSignIn = (app: FastifyInstance, dependencies: SessionDependencies): void => {
  const { browser, commands, federation, signInBeat = usualBeat } = dependencies;
  const { base, interactions } = browser;
  const leave = makeLeave(dependencies);
  const beat = makeAnswerBeat(signInBeat);

  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const twice = (['return_to', 'again'] as const).find((name) => isRepeated(queryOf(request), name));
    if (twice) return refuseField(browser, reply, twice);
    const sent = one(queryOf(request), 'return_to') ?? home;
    if (sent.length > longestReturnTo) return refuseField(browser, reply, 'return_to');
    const returnTo = isOwnPath(sent) ? sent : home;
    const session = await browser.session(request);
    const again = one(queryOf(request), 'again') === '1';
    if (session && !again) return reply.redirect(base + returnTo, 303);
    const pending = { kind: 'sign-in', returnTo, ...(again && { again }) } as const;
    const interaction = interactions.begin(request, reply, pending);
    const onlyOne = onlyProvider(federation);
    if (onlyOne !== null) return leave(request, reply, onlyOne, interaction);
    return showForm(reply, 200, interaction, {
      addonName: null,
      email: session?.address ?? '',
      failed: false,
      notSignedInAs: null,
    });
  };

  const showForm = (
    reply: FastifyReply,
    status: number,
    interaction: Interaction,
    view: Omit<
      SignInView,
      'base' | 'reader' | 'interaction' | 'local' | 'providers' | 'passkeys' | 'lastWay'
    >,
  ) =>
    sendPage(
      reply,
      status,
      signInPage({
        ...browser.frame,
        reader: readerOf(browser, reply.request),
        ...offersOf(federation, browser.config.baseUrl, browser.cookies.way(reply.request)),
        ...confirmation(interaction),
        interaction: interactions.sign(interaction),
        ...view,
      }),
      'leads-out',
    );

  const signIn = async (request: FastifyRequest, reply: FastifyReply) => {
    const form = formOf(request);
    const wrong = signInFields.find(
      (name) => isRepeated(form, name) || (one(form, name)?.length ?? 0) > longest[name],
    );
    if (wrong) return refuseField(browser, reply, wrong);
    const interaction = interactions.verify(request, one(form, 'interaction'));
    if (typeof interaction === 'string') return browser.refuseInteraction(reply, interaction);
    if (interaction.pending.kind === 'sign-out') return browser.refuseInteraction(reply, 'malformed');
    if (!federation.local) return refusePasswords(browser, reply);
    const email = one(form, 'email') ?? '';
    const from = {
      ...attemptOrigin(browser, request),
      interaction: interaction.id,
      shown: originOf(request),
    };
    beat.begin(request);
    const signedIn = await commands.signIn(
      { email, password: one(form, 'password') ?? '', from },
      contextOf(request),
    );
    if (!signedIn.ok && signedIn.refusal !== 'wrong-credentials') beat.letGo(request);
    if (!signedIn.ok && signedIn.refusal === 'interaction-ended') {
      await interactions.consume(request, reply, interaction);
      return browser.refuseInteraction(reply, 'too-many-failures');
    }
    if (!signedIn.ok) return refuse(reply, interaction, email, signedIn);
    return goOn(dependencies, request, reply, interaction, signedIn.value, 'password');
  };

  /** The same answer for accounts that exist and for those that do not. */
  const refuse = async (
    reply: FastifyReply,
    interaction: Interaction,
    email: string,
    { refusal, retryAfter: wait }: SignInRefused,
  ) => {
    if (refusal === 'busy') return busy(browser, reply);
    if (wait !== undefined) reply.header('retry-after', String(wait));
    return showForm(reply, refusal === 'too-many-attempts' ? 429 : 401, interaction, {
      ...(await waitingAddon(commands, interaction)),
      email,
      failed: true,
      ...(wait !== undefined && { wait }),
      notSignedInAs: null,
    });
  };

  void app.register((place, _options, done) => {
    place.addHook('onSend', (request) => beat.hold(request));
    pagePath(place, '/sign-in', { GET: show, POST: signIn }, methodNotAllowedPage(browser));
    done();
  });
};

/** Where local sign-in is off, passkeys are off, too. */
export const refusePasswords = telling(403, ({ signIn, frame }) => ({
  title: signIn.passwordsOff,
  message: signIn.passwordsOffHow,
  next: { href: '/sign-in', label: frame.signIn },
}));

export const busy = ({ message }: Pick<Browser, 'message'>, reply: FastifyReply): Promise<FastifyReply> =>
  message(reply.header('retry-after', retryAfter), 503, ({ signIn, errors }) => ({
    title: errors.tryAgain,
    message: signIn.tooManyNow,
  }));

const refuseField = (
  { message }: Browser,
  reply: FastifyReply,
  name: keyof typeof longest | 'again',
): Promise<FastifyReply> =>
  message(reply, 400, ({ errors }) => ({
    title: errors.tryAgain,
    message: errors.repeatedField(name, name === 'again' ? null : longest[name]),
  }));

/** A user who confirms a sign-in does so here, not with a provider (`again`). */
const confirmation = ({ pending }: Interaction): Partial<SignInView> =>
  pending.kind === 'sign-in' && pending.again ? { again: true, providers: [] } : {};

type SignInRefused = Extract<Awaited<ReturnType<Commands['signIn']>>, { readonly ok: false }>;

/** The add-on that sent the person, as the first page shows it (PG-07). */
export const waitingAddon = async (
  { addonLogo, findAddon }: Pick<Commands, 'addonLogo' | 'findAddon'>,
  { pending }: Interaction,
): Promise<Pick<SignInView, 'addonName' | 'addonLogo'>> => {
  const addon = pending.kind === 'authorize' ? await findAddon(pending.request.clientId) : null;
  const logo = addon && (await withTimeoutOrNull(1_000, addonLogo(addon)));
  return { addonName: addon?.name ?? null, addonLogo: logo && dataUrlOf(logo) };
};

/** A browser has one session at a time: a new one ends the old one (AZ-41). */
export const leaveFormerSession = async (
  { browser, commands }: { readonly browser: Browser; readonly commands: Pick<CommandsInContext, 'signOut'> },
  request: FastifyRequest,
): Promise<void> => {
  const former = await browser.session(request);
  if (former) await commands.signOut(former.sessionId, contextOf(request));
};

/** After a sign-in here: the browser has the session and is known from now on. */
export const goOn = async (
  dependencies: Pick<SessionDependencies, 'browser'> & {
    readonly commands: Pick<CommandsInContext, 'signOut'>;
  },
  request: FastifyRequest,
  reply: FastifyReply,
  interaction: Interaction,
  { session, cookie, device }: SignedIn,
  way: SignInWay,
): Promise<FastifyReply> => {
  const { base, cookies } = dependencies.browser;
  await leaveFormerSession(dependencies, request);
  cookies.setSession(reply, cookie);
  cookies.setDevice(reply, device.cookie, device.maxAge);
  cookies.setWay(reply, way);
  return reply.redirect(base + (await nextAddress(dependencies, request, reply, interaction, session)), 303);
};

/** Leads to where the roles of the user are at home (home.ts, FX-62). */
const home = '/';

/** Where the browser goes after a sign-in that this interaction asked for. */
export const nextAddress = async (
  { browser: { interactions } }: { readonly browser: Browser },
  request: FastifyRequest,
  reply: FastifyReply,
  interaction: Interaction,
  session: Session,
): Promise<string> => {
  if (interaction.pending.kind === 'authorize') {
    const pending = { ...interaction.pending, signedIn: session.sessionId };
    return `/oauth/authorize/continue?interaction=${interactions.sign({ ...interaction, pending })}`;
  }
  await interactions.consume(request, reply, interaction);
  return interaction.pending.kind === 'sign-in' ? interaction.pending.returnTo : home;
};
