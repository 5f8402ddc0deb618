import { type Account, accountDecider, type AccountEvent } from '../../../domain/people/account.ts';
import { type Decision, type Instant, refuse } from '../../../domain/kernel/decision.ts';
import {
  allowRemoval,
  endsOperator,
  isOperator,
  operatorsDecider,
  type OperatorSeen,
} from '../../../domain/people/operators.ts';
import { accountStream, operatorsStream } from '../../../domain/streams.ts';
import type { ExpectedRevision } from '../../../eventstore/event-store.ts';
import { byOperator } from '../../kernel/by-operator.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { AccountDependencies } from '../dependencies.ts';
import { type Handled, load } from '../../kernel/handle.ts';
import { mapInBatches } from '../../kernel/map-in-batches.ts';
import { handleRetrying } from '../../kernel/handle-retrying.ts';

type Dependencies = Pick<AccountDependencies, 'store' | 'now' | 'operators'>;

type Options = {
  readonly context: CommandContext | undefined;
  readonly force?: boolean;
};

/**
 * Decides on an account for an operator. What would end an operator is first allowed in the stream of operators, for this revision:
 * refused if nobody else remains (ADR 60).
 */
export const handleAccount = async <R extends string>(
  dependencies: Dependencies,
  userId: string,
  decide: (account: Account, now: Instant) => Decision<AccountEvent, R>,
  { context, force = false }: Options,
): Promise<Handled<Account, AccountEvent, R | 'last-operator'>> => {
  const { store, now } = dependencies;
  const stream = accountStream(userId);
  let allowedAt: ExpectedRevision = 'no-stream';
  for (;;) {
    let read: ExpectedRevision = 'no-stream';
    const { refusal, ...handled } = await handleRetrying(
      store,
      stream,
      accountDecider,
      (account): Decision<AccountEvent, R | 'not-allowed-yet'> => {
        const decision = decide(account, now());
        const isAllowed = force || read === allowedAt || !endsOperator(account, decision.events);
        return isAllowed ? decision : refuse('not-allowed-yet');
      },
      {
        context,
        ...byOperator(),
        load: async () => {
          const known = await load(store, stream, accountDecider);
          read = known.revision;
          return known;
        },
      },
    );
    if (refusal !== 'not-allowed-yet' || handled.revision === 'no-stream')
      return { ...handled, refusal } as Handled<Account, AccountEvent, R>;
    if (
      !(await isRemovalAllowed(dependencies, { userId, accountRevision: Number(handled.revision) }, context))
    )
      return { ...handled, refusal: 'last-operator' };
    allowedAt = handled.revision;
  }
};

const isRemovalAllowed = async (
  { store, now, operators }: Dependencies,
  seen: OperatorSeen,
  context: CommandContext | undefined,
): Promise<boolean> => {
  // Before the stream is read: whoever is removed later was allowed to be, and the stream says so.
  const known = await mapInBatches((await operators?.()) ?? [], async (userId) => {
    const { state, revision } = await load(store, accountStream(userId), accountDecider);
    return isOperator(state) && revision !== 'no-stream'
      ? [{ userId, accountRevision: Number(revision) }]
      : [];
  });
  const { refusal } = await handleRetrying(
    store,
    operatorsStream,
    operatorsDecider,
    (allowed) => allowRemoval(allowed, { ...seen, others: known.flat(), now: now() }),
    { context, ...byOperator() },
  );
  return refusal === undefined;
};
