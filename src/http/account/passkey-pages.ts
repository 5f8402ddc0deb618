import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Commands } from '../../commands/commands.ts';
import { type Browser, telling, type Visitor } from '../base/browser.ts';
import type { Words } from '../../common/words.ts';
import { whyNot } from '../words/why-not.ts';
import { pagePath } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { makeChallenges } from '../passkeys/challenges.ts';
import { parseAttestation } from '../passkeys/credential-json.ts';
import { passkeyScriptPath } from '../passkeys/passkey-script.ts';
import { badField } from '../passkeys/passkey-sign-in.ts';
import { relyingPartyOf } from '../passkeys/relying-party.ts';
import { formOf, isRepeated, one, pathId } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { deviceOf } from '../session/origin-of.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { refusePasswords } from '../session/sign-in.ts';
import { formView } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { AccountDependencies } from './dependencies.ts';
import { removePasskeyPage, renamePasskeyPage, addPasskeyPage } from './views/passkeys.ts';

const longest = { challenge: 1_024, credential: 16_000, name: 400 } as const;
const fields = Object.keys(longest) as readonly (keyof typeof longest)[];

/** How long after a sign-in passkeys may be added and removed, in milliseconds. */
const freshFor = 10 * 60_000;

export const registerPasskeyPages = (app: FastifyInstance, dependencies: AccountDependencies): void => {
  const { browser, commands, federation, endInteraction: end } = dependencies;
  const { base, config } = browser;
  const challenges = makeChallenges({ ...browser, end });
  const relyingPartyHere = () => relyingPartyOf(config.baseUrl);
  const signedIn = makeSignedIn(browser, () => '/account');

  /** A stolen session must neither make nor take a way in: only what was proved a moment ago, here, counts. */
  const fresh =
    (backTo: (request: FastifyRequest) => string, act: Act): Act =>
    async (session, request, reply) => {
      if (!federation.local) return refusePasswords(browser, reply);
      if (session.upstream === null && browser.now() - session.authTime < freshFor)
        return act(session, request, reply);
      const to = `/sign-in?again=1&return_to=${encodeURIComponent(backTo(request))}`;
      return reply.redirect(base + to, 303);
    };

  const showNew = async (
    reply: FastifyReply,
    status: number,
    session: Visitor,
    {
      name,
      problem = null,
      nameIsWrong = false,
    }: { readonly name: string; readonly problem?: string | null; readonly nameIsWrong?: boolean },
  ) => {
    const relyingParty = relyingPartyHere();
    if (relyingParty === null) return notHere(browser, reply);
    const { challenge, signed } = challenges.begin(`session:${session.sessionId}`);
    const { userId } = session;
    const options = await commands.passkeyOptions(relyingParty, { challenge, userId });
    if (options === null) return noPassword(browser, reply);
    const html = addPasskeyPage({
      ...formView(browser, session),
      script: passkeyScriptPath,
      challenge: signed,
      options: JSON.stringify(options),
      name,
      nameIsWrong,
      problem,
    });
    return sendPage(reply, status, html, 'stays-here');
  };

  const ask: Act = (session, request, reply) =>
    showNew(reply, 200, session, {
      name: deviceOf(request.headers['user-agent']) ?? session.reader.words.passkeys.usualName,
    });

  /** The challenge itself says that the sign-in was recent when the page was shown. */
  const add: Act = async (session, request, reply) => {
    const wrong = wrongFieldOf(request);
    if (wrong !== undefined) return badField(browser, reply, wrong);
    if (!federation.local) return refusePasswords(browser, reply);
    const relyingParty = relyingPartyHere();
    if (relyingParty === null) return notHere(browser, reply);
    const form = formOf(request);
    const name = one(form, 'name') ?? '';
    const response = parseAttestation(one(form, 'credential') ?? '');
    if (response === null) return badField(browser, reply, 'credential');
    const used = await challenges.use(one(form, 'challenge'), `session:${session.sessionId}`);
    if (typeof used === 'string') return browser.refuseInteraction(reply, used);
    const { userId } = session;
    const { challenge } = used;
    const added = await commands.addPasskey(
      { userId, name, relyingParty, response, challenge },
      contextOf(request),
    );
    if (added.ok) return reply.redirect(`${base}/account?passkey=${added.value.passkeyId}`, 303);
    if (added.refusal === 'no-password') return noPassword(browser, reply);
    return showNew(reply, added.refusal === 'passkey-exists' ? 409 : 400, session, {
      name,
      problem: problemOf(added, session.reader.words),
      nameIsWrong: added.refusal === 'invalid',
    });
  };

  const passkeyOf = async ({ userId }: Visitor, request: FastifyRequest) =>
    (await commands.passkeysOf(userId))?.find(({ passkeyId }) => passkeyId === pathId(request, 'passkey_id'));

  const askName: Act = async (session, request, reply) => {
    const passkey = await passkeyOf(session, request);
    if (!passkey) return noPasskey(browser, reply);
    return showName(reply, 200, session, { passkey, name: passkey.name, problem: null });
  };

  const showName = (
    reply: FastifyReply,
    status: number,
    session: Visitor,
    view: Pick<Parameters<typeof renamePasskeyPage>[0], 'passkey' | 'name' | 'problem'>,
  ) => {
    const html = renamePasskeyPage({
      ...formView(browser, session),
      ...view,
    });
    return sendPage(reply, status, html, 'stays-here');
  };

  const rename: Act = async (session, request, reply) => {
    const wrong = wrongFieldOf(request);
    if (wrong !== undefined) return badField(browser, reply, wrong);
    const name = one(formOf(request), 'name') ?? '';
    const passkey = await passkeyOf(session, request);
    if (!passkey) return noPasskey(browser, reply);
    const { passkeyId } = passkey;
    const done = await commands.renamePasskey(
      { userId: session.userId, passkeyId, name },
      contextOf(request),
    );
    if (done.ok) return reply.redirect(`${base}/account`, 303);
    if (done.refusal === 'invalid')
      return showName(reply, 400, session, {
        passkey,
        name,
        problem: problemOf(done, session.reader.words),
      });
    return noPasskey(browser, reply);
  };

  const confirm: Act = async (session, request, reply) => {
    const passkey = await passkeyOf(session, request);
    if (!passkey) return noPasskey(browser, reply);
    const html = removePasskeyPage({
      ...formView(browser, session),
      passkey,
    });
    return sendPage(reply, 200, html, 'stays-here');
  };

  const remove: Act = async ({ userId, sessionId }, request, reply) => {
    const passkeyId = pathId(request, 'passkey_id');
    const done = await commands.removePasskey(
      { userId, passkeyId, exceptSession: sessionId, by: userId },
      contextOf(request),
    );
    if (!done.ok) return noPasskey(browser, reply);
    return reply.redirect(`${base}/account?removed=${passkeyId}`, 303);
  };

  const refuse = methodNotAllowedPage(browser);
  pagePath(
    app,
    '/account/passkeys/new',
    { GET: signedIn(fresh(() => '/account/passkeys/new', ask)), POST: signedIn(add) },
    refuse,
  );
  pagePath(
    app,
    '/account/passkeys/{passkey_id}/rename',
    { GET: signedIn(askName), POST: signedIn(rename) },
    refuse,
  );
  const removal = (request: FastifyRequest) =>
    `/account/passkeys/${encodeURIComponent(pathId(request, 'passkey_id'))}/remove`;
  pagePath(
    app,
    '/account/passkeys/{passkey_id}/remove',
    { GET: signedIn(fresh(removal, confirm)), POST: signedIn(fresh(removal, remove)) },
    refuse,
  );
};

const wrongFieldOf = (request: FastifyRequest) =>
  fields.find(
    (name) => isRepeated(formOf(request), name) || (one(formOf(request), name)?.length ?? 0) > longest[name],
  );

type Refused = Extract<
  Awaited<ReturnType<Commands['addPasskey'] | Commands['renamePasskey']>>,
  { readonly ok: false }
>;

const problemOf = ({ refusal, problems: wrong = [] }: Refused, { passkeys: say, names }: Words): string => {
  switch (refusal) {
    case 'invalid':
      return say.badName(names[whyNot(wrong[0]?.message ?? '')]);
    case 'wrong-passkey':
      return say.uncheckable;
    case 'passkey-exists':
      return say.existsAlready;
    case 'too-many-passkeys':
      return say.tooMany;
    case 'no-password':
    case 'passkey-unknown':
    case 'user-disabled':
      return say.cannotNow;
  }
};

const account = ({ frame }: Words) => ({ href: '/account', label: frame.account });

const noPasskey = telling(404, (words) => ({
  title: words.passkeys.notFound,
  message: words.passkeys.notFoundWhy,
  next: account(words),
}));

const noPassword = telling(403, (words) => ({
  title: words.passkeys.notForYou,
  message: words.passkeys.notForYouWhy,
  next: account(words),
}));

const notHere = ({ message, config }: Browser, reply: FastifyReply): Promise<FastifyReply> =>
  message(reply, 200, (words) => ({
    title: words.passkeys.notHere,
    message: words.passkeys.notHereWhy(new URL(config.baseUrl).origin),
    next: account(words),
  }));
