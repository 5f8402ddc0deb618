import { accountDecider, type KnownAccount } from '../../../domain/people/account.ts';
import {
  addAdministrator,
  organizationDecider,
  removeAdministrator,
} from '../../../domain/organizations/organization.ts';
import { accountStream, organizationStream } from '../../../domain/streams.ts';
import { comparePositions, type Position } from '../../../eventstore/event-store.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { handle, load } from '../../kernel/handle.ts';
import { mapInBatches } from '../../kernel/map-in-batches.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import { retryUnknownOutcome } from '../../kernel/retry-unknown-outcome.ts';
import { makeRevokeTokensOfFormerAdministrator } from '../tokens/revoke-tokens-of-former-administrator.ts';

/**
 * Makes organizations follow the account's newest `OrganizationsMapped`: administrator by claim there, and nowhere else. Repeatable.
 * @returns where the log has the newest change of an organization; null when there was none
 */
export const makeApplyMapping = (dependencies: Pick<CommandDependencies, 'store' | 'now'>) => {
  const { store, now } = dependencies;
  const revokeTokens = makeRevokeTokensOfFormerAdministrator(dependencies);
  return async (
    userId: string,
    by: string,
    context: CommandContext | undefined,
  ): Promise<Position | null> => {
    let newest: Position | null = null;
    for (;;) {
      const { everMapped, mapped } = await mappingOf(store, userId);
      const apply = async (organizationId: string): Promise<Position | null> => {
        const change = mapped.includes(organizationId) ? addAdministrator : removeAdministrator;
        // An organization that does not accept the appointment goes without.
        const { events, position } = await retryUnknownOutcome(() =>
          handle(
            store,
            organizationStream(organizationId),
            organizationDecider,
            (organization) => change(organization, { userId, source: 'claim', now: now() }),
            { context, metadata: { actor: by } },
          ),
        );
        return events.length > 0 ? position : null;
      };
      for (const position of await mapInBatches(everMapped, apply))
        if (position && (newest === null || comparePositions(position, newest) > 0)) newest = position;
      const organizationIds = everMapped.filter((id) => !mapped.includes(id));
      await revokeTokens({ userId, organizationIds, by }, context);
      if ((await mappingOf(store, userId)).mapped.join() === mapped.join()) return newest;
    }
  };
};

type Mapping = Pick<KnownAccount, 'everMapped' | 'mapped'>;

const mappingOf = async (store: CommandDependencies['store'], userId: string): Promise<Mapping> => {
  const { state } = await load(store, accountStream(userId), accountDecider);
  return state.status === 'absent' ? { everMapped: [], mapped: [] } : state;
};
