import type { Instant } from './decision.ts';

export type Role = 'auditor' | 'operator';

export type AccountEvent =
  | {
      readonly type: 'AccountCreated';
      readonly data: {
        readonly userId: string;
        readonly email: string;
        readonly name: string;
        readonly roles: readonly Role[];
        readonly at: Instant;
      };
    }
  /** `passwordHash` is an argon2id PHC string. */
  | { readonly type: 'PasswordSet'; readonly data: { readonly passwordHash: string; readonly at: Instant } }
  | { readonly type: 'AccountDisabled'; readonly data: { readonly at: Instant } }
  | { readonly type: 'AccountEnabled'; readonly data: { readonly at: Instant } };

/** The claim on an e-mail address, in a stream of its own: the first append wins. */
export type EmailEvent = {
  readonly type: 'EmailClaimed';
  readonly data: { readonly userId: string; readonly at: Instant };
};
