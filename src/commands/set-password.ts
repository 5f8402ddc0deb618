import { accountDecider, setPassword } from '../domain/account.ts';
import { isUlid } from '../domain/ids.ts';
import { passwordProblem } from '../domain/password-policy.ts';
import { accountStream } from '../domain/streams.ts';
import { byOperator } from './by-operator.ts';
import type { Commands } from './commands.ts';
import { handle } from './handle.ts';
import { loadAccount } from './load-account.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

/** Sets a password. The event itself ends the user's sessions: each is compared with it where it is read (read-session.ts). */
export const makeSetPassword =
  ({
    store,
    now,
    passwords,
  }: Pick<CommandDependencies, 'store' | 'now' | 'passwords'>): Commands['setPassword'] =>
  async ({ userId, password, reason }) => {
    const message = passwordProblem(password);
    if (message !== null)
      return { ok: false, refusal: 'invalid', problems: [{ field: 'password', message }] };
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const { account } = await loadAccount(store, userId);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    const passwordHash = await passwords.hash(password);
    const { refusal, position } = await retryUnknownOutcome(() =>
      handle(
        store,
        accountStream(userId),
        accountDecider,
        (present) => setPassword(present, { passwordHash, now: now() }),
        byOperator(reason),
      ),
    );
    return refusal ? { ok: false, refusal } : { ok: true, value: { position } };
  };
