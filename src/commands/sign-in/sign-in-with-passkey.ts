import { isUlid } from '../../domain/kernel/ids.ts';
import type { Passkey } from '../../domain/people/passkey.ts';
import type { CommandContext } from '../kernel/context.ts';
import { knownDevice } from '../credentials/device-cookie.ts';
import type { CredentialDependencies } from '../people/dependencies.ts';
import type { SignInDependencies } from './dependencies.ts';
import { isSameEnding, loadAccount } from '../people/accounts/load-account.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { countAttempt, type Counting, type SignInOrigin, triedOf, whileCounted } from './sign-in-counting.ts';
import { type SignedIn, startOwnSession } from './sign-in.ts';
import { makeSignOut } from './sign-out.ts';
import {
  type AuthenticationResponseJSON,
  methodsOf,
  type RelyingParty,
  verifyAuthentication,
} from '../credentials/webauthn.ts';

export type SignInWithPasskey = {
  readonly relyingParty: RelyingParty;
  /** The browser's answer to `challenge`, which the caller has used up. */
  readonly response: AuthenticationResponseJSON;
  readonly challenge: string;
  readonly from: SignInOrigin;
};

type Dependencies = SignInDependencies & Pick<CredentialDependencies, 'passkeyUses'>;

type PasskeyOutcome = Outcome<
  SignedIn,
  'wrong-passkey' | 'counter-went-back' | 'too-many-attempts' | 'interaction-ended' | 'busy'
> & {
  /** With `too-many-attempts`: whole seconds to wait. */
  readonly retryAfter?: number;
};

type InLog = Awaited<ReturnType<typeof loadAccount>>;

/** Starts a session of the user whose passkey signed the challenge, if the account's stream still has it. Counted by origin: anybody can name an account. */
export const makeSignInWithPasskey =
  (dependencies: Dependencies) =>
  async (request: SignInWithPasskey, context?: CommandContext): Promise<PasskeyOutcome> => {
    const { store, keys, now } = dependencies;
    const { response, from } = request;
    const userId = Buffer.from(response.response.userHandle ?? '', 'base64url').toString();
    const found = await loadAccount(store, isUlid(userId) ? userId : 'nobody');
    const tried = found.account.status === 'absent' ? null : triedOf(found.account);
    const known = { whose: tried?.whose ?? '', ownerOf: () => Promise.resolve(userId) };
    const isKnown = tried !== null && (await knownDevice(keys, from.device, known, now())) !== null;
    const counting = await countAttempt(dependencies, from, isKnown ? tried : null);
    if ('interactionEnded' in counting) return { ok: false, refusal: 'interaction-ended' };
    if ('retryAfter' in counting) return { ok: false, refusal: 'too-many-attempts', ...counting };
    return whileCounted(counting, () => verify(dependencies, request, found, counting, context));
  };

const verify = async (
  dependencies: Dependencies,
  { relyingParty, response, challenge, from }: SignInWithPasskey,
  { account, sessionsEnded }: InLog,
  counting: Counting,
  context: CommandContext | undefined,
): Promise<PasskeyOutcome> => {
  const at = dependencies.now();
  const wrong = { ok: false, refusal: 'wrong-passkey' } as const;
  if (!dependencies.passkeyUses || account.status !== 'enabled') return wrong;
  const { userId } = account;
  const passkey = account.passkeys.find(({ credentialId }) => credentialId === response.id);
  if (!passkey) return wrong;
  const verified = await verifyAuthentication(relyingParty, response, challenge, passkey);
  if (verified === null) return wrong;
  const { passkeyId } = passkey;
  if (verified === 'counter-went-back') return { ok: false, refusal: verified };
  if (!(await dependencies.passkeyUses.note({ passkeyId, userId, counter: verified.counter, at })))
    return { ok: false, refusal: 'counter-went-back' };
  const start = { from, authTime: at, passkey: { passkeyId, amr: methodsOf(passkey) } };
  const signedIn = await startOwnSession(dependencies, account, start, context);
  if (await hasEndedSince(dependencies, { userId, passkey, sessionsEnded })) {
    await makeSignOut(dependencies)(signedIn.session.sessionId, context);
    return wrong;
  }
  await counting.succeeded();
  return { ok: true, value: signedIn };
};

/** What ended between the check of the signature and the session's event did not end the session by itself. */
const hasEndedSince = async (
  { store }: Dependencies,
  {
    userId,
    passkey,
    sessionsEnded,
  }: {
    readonly userId: string;
    readonly passkey: Passkey;
    readonly sessionsEnded: InLog['sessionsEnded'];
  },
): Promise<boolean> => {
  const { account, sessionsEnded: ended } = await loadAccount(store, userId);
  return (
    account.status !== 'enabled' ||
    !isSameEnding(sessionsEnded, ended) ||
    !account.passkeys.some(({ passkeyId }) => passkeyId === passkey.passkeyId)
  );
};
