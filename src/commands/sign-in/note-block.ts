import { accountDecider, noteSignInBlocked } from '../../domain/people/account.ts';
import type { CountedIn } from '../../domain/sign-in/sign-in-limits.ts';
import { accountStream } from '../../domain/streams.ts';
import type { CommandContext } from '../kernel/context.ts';
import { handle } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'>;

/** Records for auditors that an account's next attempts have to wait after a failure; the domain limits how often. */
export const noteBlock = async (
  { store, now }: Dependencies,
  userId: string,
  counted: readonly CountedIn[],
  context: CommandContext | undefined,
): Promise<void> => {
  const time = now();
  const [longest] = counted
    .filter(({ account, counter }) => account !== null && counter.blockedUntil > time)
    .toSorted((a, b) => b.counter.blockedUntil - a.counter.blockedUntil);
  if (!longest) return;
  const { kind, counter } = longest;
  if (kind !== 'device' && kind !== 'account-and-address' && kind !== 'account') return; // the others belong to no account
  const { failures, blockedUntil: until } = counter;
  await handle(
    store,
    accountStream(userId),
    accountDecider,
    (account) => noteSignInBlocked(account, { counter: kind, failures, until, now: time }),
    { context },
  );
};
