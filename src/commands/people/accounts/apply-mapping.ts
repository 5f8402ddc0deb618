import { type KnownAccount } from '../../../domain/people/account.ts';
import {
  addAdministrator,
  organizationDecider,
  removeAdministrator,
} from '../../../domain/organizations/organization.ts';
import { addMember, removeMember } from '../../../domain/publishers/publisher.ts';
import { organizationStream } from '../../../domain/streams.ts';
import { comparePositions, type Position } from '../../../eventstore/event-store.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { mapInBatches } from '../../kernel/map-in-batches.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import { makeRevokeTokensOfFormerAdministrator } from '../tokens/revoke-tokens-of-former-administrator.ts';
import { accountNow } from '../../../eventstore/state-of.ts';
import { handleRetrying, onPublisher } from '../../kernel/handle-retrying.ts';

/**
 * Makes organizations follow the account's newest `OrganizationsMapped`, and publishers `PublishersMapped`: administrator or member by
 * claim there, and nowhere else. Repeatable.
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
      const { everMapped, mapped, everPublishers, publishers } = await mappingOf(store, userId);
      const apply = async (organizationId: string): Promise<Position | null> => {
        const change = mapped.includes(organizationId) ? addAdministrator : removeAdministrator;
        // An organization that does not accept the appointment goes without.
        const { events, position } = await handleRetrying(
          store,
          organizationStream(organizationId),
          organizationDecider,
          (organization) => change(organization, { userId, source: 'claim', now: now() }),
          { context, metadata: { actor: by } },
        );
        return events.length > 0 ? position : null;
      };
      const applyToPublisher = async (publisherId: string): Promise<Position | null> => {
        const change = publishers.includes(publisherId) ? addMember : removeMember;
        const { events, position } = await onPublisher(
          store,
          publisherId,
          (publisher) => change(publisher, { userId, source: 'claim', now: now() }),
          { context, metadata: { actor: by } },
        );
        return events.length > 0 ? position : null;
      };
      const positions = [
        ...(await mapInBatches(everMapped, apply)),
        ...(await mapInBatches(everPublishers, applyToPublisher)),
      ];
      for (const position of positions)
        if (position && (newest === null || comparePositions(position, newest) > 0)) newest = position;
      const organizationIds = everMapped.filter((id) => !mapped.includes(id));
      await revokeTokens({ userId, organizationIds, by }, context);
      const again = await mappingOf(store, userId);
      if (again.mapped.join() === mapped.join() && again.publishers.join() === publishers.join())
        return newest;
    }
  };
};

type Mapping = Pick<KnownAccount, 'everMapped' | 'mapped' | 'everPublishers' | 'publishers'>;

const mappingOf = async (store: CommandDependencies['store'], userId: string): Promise<Mapping> => {
  const state = await accountNow(store, userId);
  return state.status === 'absent'
    ? { everMapped: [], mapped: [], everPublishers: [], publishers: [] }
    : state;
};
