import { changePassword, type KnownAccount } from '../../../domain/people/account.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { loadAccount } from '../accounts/load-account.ts';
import type { CredentialDependencies } from '../dependencies.ts';
import type { SignInDependencies } from '../../sign-in/dependencies.ts';
import { noteBlock } from '../../sign-in/note-block.ts';
import type { OutcomeWithProblems } from '../../kernel/outcome.ts';
import type { Session } from '../../sign-in/read-session.ts';
import { passwordProblem } from './password-policy.ts';
import {
  countAttempt,
  type Counting,
  type SignInOrigin,
  triedOf,
  whileCounted,
} from '../../sign-in/sign-in-counting.ts';
import { onAccount } from '../../kernel/handle-retrying.ts';

export type ChangePassword = {
  /** The session in which the user asks for it; it stays. */
  readonly session: Pick<Session, 'sessionId' | 'userId'>;
  readonly present: string;
  readonly password: string;
  readonly from: SignInOrigin;
};

type Dependencies = Pick<
  CredentialDependencies & SignInDependencies,
  | 'store'
  | 'keys'
  | 'now'
  | 'passwords'
  | 'signInCounters'
  | 'signInsPerMinute'
  | 'inBackground'
  | 'localSignIn'
>;

type ChangeOutcome = OutcomeWithProblems<
  null,
  'wrong-password' | 'too-many-attempts' | 'busy' | 'invalid' | 'passwords-off'
> & {
  /** With `too-many-attempts`: whole seconds to wait. */
  readonly retryAfter?: number;
};

/**
 * Sets another password for a user who knows the present one. Attempts are counted like sign-ins: a stolen session must
 * not be a way to try passwords. All other sessions and the administrator tokens end.
 */
export const makeChangePassword =
  (dependencies: Dependencies) =>
  async (request: ChangePassword, context?: CommandContext): Promise<ChangeOutcome> => {
    if (dependencies.localSignIn === false) return { ok: false, refusal: 'passwords-off' };
    const message = await passwordProblem(request.password);
    if (message !== null)
      return { ok: false, refusal: 'invalid', problems: [{ field: 'password', message }] };
    const { account } = await loadAccount(dependencies.store, request.session.userId);
    if (account.status === 'absent') return { ok: false, refusal: 'wrong-password' };
    const counting = await countAttempt(dependencies, request.from, triedOf(account));
    if ('interactionEnded' in counting) return { ok: false, refusal: 'wrong-password' };
    if ('retryAfter' in counting) return { ok: false, refusal: 'too-many-attempts', ...counting };
    return whileCounted(counting, () => change(dependencies, request, { counting, account }, context));
  };

const change = async (
  dependencies: Dependencies,
  { session: { sessionId, userId }, present, password }: ChangePassword,
  { counting, account }: { readonly counting: Counting; readonly account: KnownAccount },
  context: CommandContext | undefined,
): Promise<ChangeOutcome> => {
  const { store, now, passwords } = dependencies;
  const presentHash = account.passwordHash;
  if (!(await passwords.verify(presentHash, present, counting.isKnown))) {
    dependencies.inBackground(noteBlock(dependencies, userId, counting.counted, context));
    return { ok: false, refusal: 'wrong-password' };
  }
  const passwordHash = await passwords.hash(password);
  const { refusal } = await onAccount(
    store,
    userId,
    (found) => changePassword(found, { presentHash, passwordHash, sessionId, now: now() }),
    { context, metadata: { actor: userId } },
  );
  await counting.succeeded();
  return refusal ? { ok: false, refusal: 'wrong-password' } : { ok: true, value: null };
};
