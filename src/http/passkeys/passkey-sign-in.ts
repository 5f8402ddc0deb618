import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { retryAfter } from '../answers/problems.ts';
import type { Browser } from '../base/browser.ts';
import { pagePath } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, one, queryOf } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { admitStep } from '../session/admit-step.ts';
import { makeAnswerBeat, usualBeat } from '../session/answer-beat.ts';
import { attemptOrigin, originOf } from '../session/origin-of.ts';
import type { Interaction } from '../session/interactions.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { goOn, refusePasswords, waitingAddon } from '../session/sign-in.ts';
import { passkeySignInPage } from '../session/views/session-pages.ts';
import { wayBack } from '../session/way-on.ts';
import { makeChallenges } from './challenges.ts';
import { parseAssertion } from './credential-json.ts';
import type { PasskeyDependencies } from './dependencies.ts';
import { passkeyScriptPath } from './passkey-script.ts';
import { relyingPartyOf } from './relying-party.ts';
import { readerOf } from '../requests/reader-of.ts';

const longest = { interaction: 16_000, challenge: 1_024, credential: 16_000 } as const;
const fields = Object.keys(longest) as readonly (keyof typeof longest)[];

/** `/sign-in/passkey`: a page with a script, which asks the browser for a passkey and sends its answer in the form. */
export const registerPasskeySignIn = (app: FastifyInstance, dependencies: PasskeyDependencies): void => {
  const { browser, commands, federation, endInteraction: end, signInBeat = usualBeat } = dependencies;
  const { config, interactions } = browser;
  const challenges = makeChallenges({ ...browser, end });
  const relyingPartyHere = () => relyingPartyOf(config.baseUrl);
  const beat = makeAnswerBeat(signInBeat);

  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    if (isRepeated(queryOf(request), 'interaction')) return badField(browser, reply, 'interaction');
    if (!federation.local) return refusePasswords(browser, reply);
    const relyingParty = relyingPartyHere();
    if (relyingParty === null) return notHere(browser, reply);
    const signed = one(queryOf(request), 'interaction');
    if (signed === undefined)
      return showForm(
        reply,
        200,
        interactions.begin(request, reply, { kind: 'sign-in', returnTo: '/' }),
        null,
      );
    const interaction = interactions.verify(request, signed);
    if (typeof interaction === 'string') return browser.refuseInteraction(reply, interaction);
    if (interaction.pending.kind === 'sign-out') return browser.refuseInteraction(reply, 'malformed');
    return showForm(reply, 200, interaction, null);
  };

  const showForm = async (
    reply: FastifyReply,
    status: number,
    interaction: Interaction,
    problem: string | null,
  ) => {
    const relyingParty = relyingPartyHere();
    if (relyingParty === null) return notHere(browser, reply);
    const { challenge, signed } = challenges.begin(`interaction:${interaction.id}`);
    const html = passkeySignInPage({
      ...browser.frame,
      reader: readerOf(browser, reply.request),
      script: passkeyScriptPath,
      interaction: interactions.sign(interaction),
      challenge: signed,
      options: JSON.stringify(await commands.passkeyOptions(relyingParty, { challenge })),
      ...(await waitingAddon(commands, interaction)),
      back: wayBack(browser, interaction),
      problem,
    });
    return sendPage(reply, status, html, 'leads-out');
  };

  const signIn = async (request: FastifyRequest, reply: FastifyReply) => {
    const form = formOf(request);
    const wrong = fields.find(
      (name) => isRepeated(form, name) || (one(form, name)?.length ?? 0) > longest[name],
    );
    if (wrong) return badField(browser, reply, wrong);
    if (!federation.local) return refusePasswords(browser, reply);
    const relyingParty = relyingPartyHere();
    if (relyingParty === null) return notHere(browser, reply);
    const interaction = interactions.verify(request, one(form, 'interaction'));
    if (typeof interaction === 'string') return browser.refuseInteraction(reply, interaction);
    if (interaction.pending.kind === 'sign-out') return browser.refuseInteraction(reply, 'malformed');
    const response = parseAssertion(one(form, 'credential') ?? '');
    if (response === null) return badField(browser, reply, 'credential');
    if (!(await admitStep(dependencies, request, reply))) return reply; // a challenge that is used up is stored
    const used = await challenges.use(one(form, 'challenge'), `interaction:${interaction.id}`);
    if (typeof used === 'string') return browser.refuseInteraction(reply, used);
    const from = {
      ...attemptOrigin(browser, request),
      interaction: interaction.id,
      shown: originOf(request),
    };
    beat.begin(request);
    const signedIn = await commands.signInWithPasskey(
      { relyingParty, response, challenge: used.challenge, from },
      contextOf(request),
    );
    if (signedIn.ok) return goOn(dependencies, request, reply, interaction, signedIn.value, 'passkey');
    const { refusal, retryAfter: wait = 1 } = signedIn;
    const { signIn: say } = readerOf(browser, request).words;
    switch (refusal) {
      case 'interaction-ended':
        await interactions.consume(request, reply, interaction);
        return browser.refuseInteraction(reply, 'too-many-failures');
      case 'too-many-attempts':
        return showForm(reply.header('retry-after', String(wait)), 429, interaction, say.tooMany(wait));
      case 'busy':
        return showForm(reply.header('retry-after', retryAfter), 503, interaction, say.busy);
      case 'counter-went-back':
        browser.logger.warn(
          { requestId: request.id },
          'the signature counter of a passkey went back: it may have been copied',
        );
        return showForm(reply, 401, interaction, say.copiedPasskey);
      case 'wrong-passkey':
        return showForm(reply, 401, interaction, say.wrongPasskey);
    }
  };

  void app.register((place, _options, done) => {
    place.addHook('onSend', (request) => beat.hold(request));
    pagePath(place, '/sign-in/passkey', { GET: show, POST: signIn }, methodNotAllowedPage(browser));
    done();
  });
};

const notHere = ({ message, config }: Browser, reply: FastifyReply): Promise<FastifyReply> =>
  message(reply, 200, ({ passkeys, frame }) => ({
    title: passkeys.notHere,
    message: passkeys.notHereWhy(new URL(config.baseUrl).origin),
    next: { href: '/sign-in', label: frame.signIn },
  }));

export const badField = ({ message }: Browser, reply: FastifyReply, name: string): Promise<FastifyReply> =>
  message(reply, 400, ({ errors }) => ({ title: errors.tryAgain, message: errors.badField(name) }));
