import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PasskeyItem } from '../../commands/people/credentials/passkeys.ts';
import type { SessionsOfUser, SessionItem } from '../../commands/sign-in/list-sessions.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { Words } from '../../common/words.ts';
import { telling } from '../base/browser.ts';
import { pagePath } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { relyingPartyOf } from '../passkeys/relying-party.ts';
import { one, pathId, queryOf } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { homesOf } from '../session/home.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import { type AllowedAddon, findAllowedAddon, readAllowedAddons } from './allowed-addons.ts';
import type { AccountDependencies } from './dependencies.ts';
import { readTokenRows } from './token-rows.ts';
import { accountPage, withdrawPage, type SessionRow, sessionEnded } from './views/account-page.ts';
import type { TokenRow } from './views/tokens.ts';
import type { PasskeysView } from './views/passkeys.ts';

/** `/account`, not of the table of tasks: what a person does alone, with the browser's session, has no API and no command. */
export const registerAccountPages = (app: FastifyInstance, dependencies: AccountDependencies): void => {
  const { browser, commands } = dependencies;
  const { base } = browser;
  const signedIn = makeSignedIn(browser, () => '/account');

  const account: Act = async (session, request, reply) => {
    const [addons, { rows: tokens, administers }, sessions, passwordSetAt, passkeys] = await Promise.all([
      readAllowedAddons(dependencies, session.userId, session.reader.words.locale),
      readTokenRows(dependencies, session),
      commands.sessionsOf(session.userId),
      commands.passwordSetAt(session.userId),
      commands.passkeysOf(session.userId),
    ]);
    const { words } = session.reader;
    const html = accountPage({
      ...formView(browser, session),
      timeZone: session.timeZone,
      email: session.email,
      addons,
      withdrawn: await withdrawnName(request, addons),
      revoked: isRevoked(request, tokens),
      ended: endedIn(request, sessions),
      passwordSetAt: passwordSetAt === null ? null : new Date(passwordSetAt).toISOString(),
      passwordChanged: wasJustChanged(request, passwordSetAt, browser.now()),
      passkeys: passkeysView(dependencies, passkeys, words),
      passkeyAdded: wasAdded(request, passkeys, browser.now()),
      passkeyRemoved: wasRemoved(request, passkeys),
      sessions: sessionRows(sessions, session.sessionId),
      problem: one(queryOf(request), 'problem') === sessionEnded ? words.account.sessionEnded : null,
      tokens,
      administers,
      hasHomes: homesOf(session).length > 1,
    });
    // Its form for signing out may lead on to the user's sign-in provider.
    return sendPage(reply, 200, html, session.upstream ? 'leads-out' : 'stays-here');
  };

  /** Checked against the stored facts, so that a forged address cannot show a false confirmation. */
  const withdrawnName = async (request: FastifyRequest, addons: readonly AllowedAddon[]) => {
    const addonId = one(queryOf(request), 'withdrawn');
    if (addonId === undefined || !isUlid(addonId)) return null;
    if (addons.some((addon) => addon.addonId === addonId)) return null;
    return (await commands.findAddon(addonId))?.name ?? null;
  };

  const confirm: Act = async (session, request, reply) => {
    const addon = await findAllowedAddon(dependencies, session.userId, pathId(request, 'client_id'));
    if (!addon) return notAllowed(browser, reply);
    const html = withdrawPage({ ...formView(browser, session), addon });
    return sendPage(reply, 200, html, 'stays-here');
  };

  const withdraw: Act = async ({ userId }, request, reply) => {
    const addonId = pathId(request, 'client_id');
    const done = await commands.withdrawConsent({ userId, addonId }, contextOf(request));
    if (!done.ok) return notAllowed(browser, reply);
    return reply.redirect(`${base}/account?withdrawn=${addonId}`, 303);
  };

  const refuse = methodNotAllowedPage(browser);
  pagePath(app, '/account', { GET: signedIn(account) }, refuse);
  pagePath(
    app,
    '/account/addons/{client_id}/withdraw',
    { GET: signedIn(confirm), POST: signedIn(withdraw) },
    refuse,
  );
};

/** Checked against the token list, so that a forged address cannot show a false confirmation. */
const isRevoked = (request: FastifyRequest, tokens: readonly TokenRow[]): boolean => {
  const revoked = one(queryOf(request), 'revoked');
  return revoked !== undefined && isUlid(revoked) && !tokens.some(({ tokenId }) => tokenId === revoked);
};

/** Checked against the time of the change, for the same reason. */
const wasJustChanged = (request: FastifyRequest, setAt: number | null, now: number): boolean =>
  one(queryOf(request), 'password') === 'changed' && setAt !== null && now - setAt < 60_000;

/** Checked against the sessions, so that a forged address cannot show a false confirmation. */
const endedIn = (request: FastifyRequest, { live }: SessionsOfUser): 'one' | 'others' | null => {
  const ended = one(queryOf(request), 'ended');
  if (ended === 'others') return live.length <= 1 ? 'others' : null;
  return ended !== undefined && isUlid(ended) && !live.some(({ sessionId }) => sessionId === ended)
    ? 'one'
    : null;
};

const notAllowed = telling(404, ({ account, frame }) => ({
  title: account.nothingToWithdraw,
  message: account.nothingToWithdrawWhy,
  next: { href: '/account', label: frame.account },
}));

/** The rows of the account page. @param current the session of this browser */
const sessionRows = (
  { live, latest }: SessionsOfUser,
  current: string,
): { readonly live: readonly SessionRow[]; readonly latest: readonly SessionRow[] } => {
  const row = (item: SessionItem): SessionRow => ({
    sessionId: item.sessionId,
    device: item.device,
    network: item.network,
    startedAt: new Date(item.startedAt).toISOString(),
    lastSeenAt: new Date(item.lastSeenAt).toISOString(),
    isThis: item.sessionId === current,
    live: item.live,
  });
  const rows = live.map(row);
  return {
    live: [...rows.filter(({ isThis }) => isThis), ...rows.filter(({ isThis }) => !isThis)],
    latest: latest.map(row),
  };
};

/** Null where the user cannot have passkeys, and where local sign-in is off. */
const passkeysView = (
  { browser: { config }, federation }: AccountDependencies,
  passkeys: readonly PasskeyItem[] | null,
  { passkeys: say }: Words,
): PasskeysView | null =>
  passkeys === null || !federation.local
    ? null
    : {
        rows: passkeys.map(({ addedAt, lastUsedAt, ...passkey }) => ({
          ...passkey,
          addedAt: new Date(addedAt).toISOString(),
          lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
        })),
        whyNot:
          relyingPartyOf(config.baseUrl) === null ? say.notHereWhy(new URL(config.baseUrl).origin) : null,
      };

/** Checked against the passkey, so that a forged address cannot show a false confirmation. */
const wasAdded = (request: FastifyRequest, passkeys: readonly PasskeyItem[] | null, now: number): boolean => {
  const added = passkeys?.find(({ passkeyId }) => passkeyId === one(queryOf(request), 'passkey'));
  return added !== undefined && now - added.addedAt < 60_000;
};

const wasRemoved = (request: FastifyRequest, passkeys: readonly PasskeyItem[] | null): boolean => {
  const removed = one(queryOf(request), 'removed');
  return (
    removed !== undefined && isUlid(removed) && !passkeys?.some(({ passkeyId }) => passkeyId === removed)
  );
};
