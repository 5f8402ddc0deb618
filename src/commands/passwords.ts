import { hash, type Options, verify } from '@node-rs/argon2';

export type Passwords = {
  /** An argon2id PHC string. */
  readonly hash: (password: string) => Promise<string>;
  /** Null stands for an account that does not exist: takes as long as any other and is false. */
  readonly verify: (passwordHash: string | null, password: string) => Promise<boolean>;
};

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const recommended: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Passwords are normalised (NIST SP 800-63B §5.1.1.2), so that one typed on another keyboard is still the same. */
const normalise = (password: string) => password.normalize('NFKC');

/** Hashes and verifies with argon2id, off the event loop. `options` are for tests: cheaper hashes. */
export const makePasswords = async (options: Options = recommended): Promise<Passwords> => {
  const nobody = await hash('nobody has this password', options);
  return {
    hash: (password) => hash(normalise(password), options),
    verify: async (passwordHash, password) =>
      (await verify(passwordHash ?? nobody, normalise(password))) && passwordHash !== null,
  };
};
