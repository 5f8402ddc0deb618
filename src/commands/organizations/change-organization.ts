import type { Decision, Instant } from '../../domain/kernel/decision.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import {
  type Organization,
  organizationDecider,
  type OrganizationEvent,
} from '../../domain/organizations/organization.ts';
import { organizationStream } from '../../domain/streams.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import { load } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { type Changed, type Outcome, changedOutcome } from '../kernel/outcome.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

export type UserOfOrganization = {
  readonly organizationId: string;
  readonly userId: string;
  /** The reason, for the audit log. */
  readonly reason?: string;
};

type Decide<C, R extends string> = (
  organization: Organization,
  command: C & { readonly now: Instant },
) => Decision<OrganizationEvent, R>;

/** Decides on the organization's stream; `command` is what the decision needs besides the time. */
export const changeOrganization = async <C extends object, R extends string>(
  { store, now }: Pick<CommandDependencies, 'store' | 'now'>,
  {
    organizationId,
    reason,
    ...command
  }: C & { readonly organizationId: string; readonly reason?: string | undefined },
  decide: Decide<Omit<C, 'organizationId' | 'reason'>, R>,
  context: CommandContext | undefined,
  /** Runs before each decision, with the state that it is made on. */
  before: (organization: Organization) => Promise<void> = () => Promise.resolve(),
): Promise<Outcome<Changed, R | 'organization-unknown'>> => {
  if (!isUlid(organizationId)) return { ok: false, refusal: 'organization-unknown' };
  const handled = await handleRetrying(
    store,
    organizationStream(organizationId),
    organizationDecider,
    (organization) => decide(organization, { ...command, now: now() }),
    {
      context,
      ...byOperator(reason),
      load: async () => {
        const known = await load(store, organizationStream(organizationId), organizationDecider);
        await before(known.state);
        return known;
      },
    },
  );
  return changedOutcome(handled);
};
