import { type Account, accountDecider, addressOf } from '../../../domain/people/account.ts';
import { disownEmail } from '../../../domain/people/account-changes.ts';
import { disownIdentity } from '../../../domain/people/account-from-provider.ts';
import { accountStream } from '../../../domain/streams.ts';
import { isUnreadable } from '../../../domain/kernel/unreadable-fields.ts';
import { addressStreams, identityStreams } from '../../kernel/claim-streams.ts';
import { type Claims, makeClaims } from '../../kernel/claims.ts';
import type { AccountDependencies } from '../dependencies.ts';

export type AccountClaims = Claims<Account, 'address' | 'identity'>;

/** The claims of accounts: on a vouched address and on linked identities, which an erased account keeps, to stay erased. */
export const makeAccountClaims = (
  dependencies: Pick<AccountDependencies, 'store' | 'now' | 'persons'>,
): AccountClaims =>
  makeClaims(dependencies, {
    streamOf: accountStream,
    decider: accountDecider,
    exists: ({ status }) => status !== 'absent',
    kinds: {
      address: {
        ...addressStreams(dependencies),
        recordedIn: (account) => {
          const address = addressOf(account);
          const emails = account.status === 'absent' ? [] : account.emails;
          return {
            present: address === null ? [] : [address],
            earlier: emails.filter((email) => email !== '' && !isUnreadable(email)),
          };
        },
        disown: (account, email, now) => disownEmail(account, { email, now }),
      },
      identity: {
        ...identityStreams(dependencies),
        recordedIn: (account) =>
          account.status === 'absent'
            ? { present: [], earlier: [] }
            : { present: account.identities.map(({ digest }) => digest), earlier: account.unlinked },
        disown: (account, digest, now) => disownIdentity(account, { digest, now }),
      },
    },
  });
