import { hash, type Options, verify } from '@node-rs/argon2';
import { makeConcurrencyLimiter, type ConcurrencyLimiter } from '../../../common/concurrency-limiter.ts';

export type Passwords = {
  /** An argon2id PHC string. @throws PasswordsBusy */
  readonly hash: (password: string) => Promise<string>;
  /** Null, for no account, takes as long and is false. Known browsers have their own queue (DO-04). @throws PasswordsBusy */
  readonly verify: (passwordHash: string | null, password: string, known?: boolean) => Promise<boolean>;
};

/** More passwords are waiting to be hashed than could be hashed in a few seconds. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy';
}

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const recommended: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * A hash takes one of libuv's four threads for some 20 ms, and 19 MiB. Two at a time leave the other threads to what
 * tokens need (signatures, files, name look-ups), and a flood of sign-ins costs 40 MiB at most.
 */
export const usualTurns = () => makeConcurrencyLimiter({ atOnce: 2, waiting: 100 });

/** In UTF-16 units, longer than any password can be: of what is longer, nothing more is looked at. */
const longest = 1_024;

/** Passwords are normalised (NIST SP 800-63B §5.1.1.2), so that one typed on another keyboard is still the same. */
const normalise = (password: string) => password.normalize('NFKC');

/** Hashes and verifies with argon2id, off the event loop. `options` are for tests: cheaper hashes. */
export const makePasswords = async (
  options: Options = recommended,
  turns: Pick<ConcurrencyLimiter, 'take'> = usualTurns(),
): Promise<Passwords> => {
  const nobody = await hash('nobody has this password', options);
  const inTurn = <T>(work: () => Promise<T>, known = false): Promise<T> => {
    const turn = turns.take(work, known);
    if (turn === null) throw new PasswordsBusy('too many passwords are waiting to be hashed');
    return turn;
  };
  return {
    hash: async (password) => inTurn(() => hash(normalise(password), options)),
    verify: async (passwordHash, password, known) =>
      (await inTurn(() => verify(passwordHash ?? nobody, normalise(password.slice(0, longest))), known)) &&
      passwordHash !== null,
  };
};
