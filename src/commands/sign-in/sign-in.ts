import { countedAs, type KnownAccount } from '../../domain/people/account.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { PasskeySignIn } from '../../domain/sign-in/session.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { CommandContext } from '../kernel/context.ts';
import { deviceCookie } from '../credentials/device-cookie.ts';
import { findAccount } from '../people/accounts/find-account.ts';
import { type AccountInLog, isSameEnding, loadAccount } from '../people/accounts/load-account.ts';
import type { AccountDependencies, CredentialDependencies } from '../people/dependencies.ts';
import type { SignInDependencies } from './dependencies.ts';
import { noteBlock } from './note-block.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { type Session, whoIs } from './read-session.ts';
import {
  countAttempt,
  type Counting,
  uncounted,
  type SignInOrigin,
  whileCounted,
} from './sign-in-counting.ts';
import { makeSignOut } from './sign-out.ts';
import { beginSession, nowhere } from './start-session.ts';

export type SignedIn = {
  readonly session: Session;
  /** The value of the session's cookie. */
  readonly cookie: string;
  /** The value of the device cookie, by which this browser is known from now on, and its lifetime in seconds. */
  readonly device: { readonly cookie: string; readonly maxAge: number };
};

type Dependencies = Pick<
  CredentialDependencies & SignInDependencies & AccountDependencies,
  | 'store'
  | 'keys'
  | 'now'
  | 'newId'
  | 'passwords'
  | 'signInCounters'
  | 'signInsPerMinute'
  | 'inBackground'
  | 'lifetimes'
  | 'persons'
  | 'sessionUses'
  | 'localSignIn'
>;

export type SignIn = {
  readonly email: string;
  readonly password: string;
  /** Where the attempt comes from; null inside this process, where nothing is counted. */
  readonly from: SignInOrigin | null;
};

type SignInOutcome = Outcome<
  SignedIn,
  'wrong-credentials' | 'too-many-attempts' | 'interaction-ended' | 'busy' | 'passwords-off'
> & {
  /** With `too-many-attempts`: whole seconds to wait. */
  readonly retryAfter?: number;
};

/** Starts a session under a new id (AZ-41). Unknown, wrong and disabled are refused alike, after the same work; see `docs/explanation/sign-in.md`. */
export const makeSignIn =
  (dependencies: Dependencies) =>
  async (request: SignIn, context?: CommandContext): Promise<SignInOutcome> => {
    if (dependencies.localSignIn === false) return { ok: false, refusal: 'passwords-off' };
    const find = () => findAccount(dependencies, request.email);
    let known: ReturnType<typeof find> | undefined;
    const ownerOf = async () => (await (known = find())).account;
    const counting = request.from
      ? await countAttempt(dependencies, request.from, { whose: request.email, ownerOf })
      : uncounted;
    if ('interactionEnded' in counting) return { ok: false, refusal: 'interaction-ended' };
    if ('retryAfter' in counting) return { ok: false, refusal: 'too-many-attempts', ...counting };
    return whileCounted(counting, async () =>
      verify(dependencies, request, { counting, found: await (known ?? find()) }, context),
    );
  };

const verify = async (
  dependencies: Dependencies,
  { password, from }: SignIn,
  { counting, found }: { readonly counting: Counting; readonly found: AccountInLog },
  context: CommandContext | undefined,
): Promise<SignInOutcome> => {
  const authTime = dependencies.now();
  const { account, sessionsEnded } = found;
  const passwordHash = account.status === 'absent' ? null : account.passwordHash;
  const right = await dependencies.passwords.verify(passwordHash, password, counting.isKnown);
  if (!right || account.status !== 'enabled') {
    // In the background: only existing accounts have a stream to record it in, and the response time must not reveal
    // that.
    if (account.status !== 'absent')
      dependencies.inBackground(noteBlock(dependencies, account.userId, counting.counted, context));
    return { ok: false, refusal: 'wrong-credentials' };
  }
  const signedIn = await startOwnSession(dependencies, account, { from, authTime }, context);
  if (await hasEndedSince(dependencies, account.userId, sessionsEnded)) {
    await makeSignOut(dependencies)(signedIn.session.sessionId, context);
    return { ok: false, refusal: 'wrong-credentials' };
  }
  await counting.succeeded();
  return { ok: true, value: signedIn };
};

/** A change between the check of the password and the session's event would not end the session by itself: check again. */
const hasEndedSince = async (
  { store }: Dependencies,
  userId: string,
  sessionsEnded: Position | null,
): Promise<boolean> => {
  const now = await loadAccount(store, userId);
  return now.account.status !== 'enabled' || !isSameEnding(sessionsEnded, now.sessionsEnded);
};

/** Starts a session of a user who has signed in here, and makes the browser known to the account. */
export const startOwnSession = async (
  dependencies: Pick<Dependencies, 'store' | 'keys' | 'newId' | 'lifetimes' | 'sessionUses'>,
  account: KnownAccount,
  {
    from,
    authTime,
    passkey,
  }: {
    readonly from: SignInOrigin | null;
    readonly authTime: Instant;
    readonly passkey?: PasskeySignIn;
  },
  context: CommandContext | undefined,
): Promise<SignedIn> => {
  const { keys, lifetimes } = dependencies;
  const { userId, epoch: disablings } = account;
  const origin = from?.shown ?? nowhere;
  const begin = { userId, at: authTime, origin, ...(passkey && { passkey }) };
  const { sessionId, cookie } = await beginSession(dependencies, begin, context);
  const lifetime = lifetimes.device;
  return {
    session: {
      sessionId,
      ...whoIs(account),
      disablings,
      authTime,
      upstream: null,
      passkey: passkey ?? null,
      handOffs: [],
    },
    cookie,
    device: {
      cookie: deviceCookie(
        keys,
        from?.device ?? null,
        { whose: countedAs(account), userId },
        { now: authTime, lifetime },
      ),
      maxAge: Math.floor(lifetime / 1000),
    },
  };
};
