import { accountDecider } from '../domain/account.ts';
import type { Decision, Instant } from '../domain/decision.ts';
import { isUlid } from '../domain/ids.ts';
import {
  addAuditor,
  isAuditedBy,
  type Organization,
  organizationDecider,
  type OrganizationEvent,
  removeAuditor,
} from '../domain/organization.ts';
import { accountStream, organizationStream } from '../domain/streams.ts';
import type { AuditorChanged, AuditorOfOrganization, Commands, Outcome } from './commands.ts';
import { handle, load } from './handle.ts';
import type { CommandNeeds } from './needs.ts';
import { rerunUnknown } from './rerun-unknown.ts';

type Needs = Pick<CommandNeeds, 'store' | 'now'>;

/** Gives the organization's history to a user who has the role. */
export const makeAddAuditor =
  (needs: Needs): Commands['addAuditor'] =>
  async (request) => {
    const account = await accountOf(needs, request.userId);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    if (!account.roles.includes('auditor')) return { ok: false, refusal: 'not-an-auditor' };
    return change(needs, request, addAuditor);
  };

/** Takes it away, for every request that begins after the answer. */
export const makeRemoveAuditor =
  (needs: Needs): Commands['removeAuditor'] =>
  async (request) => {
    const account = await accountOf(needs, request.userId);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    return change(needs, request, removeAuditor);
  };

/** Both asked of the log itself, as for administrators (AC-04): whoever was removed sees nothing from then on. */
export const makeIsAuditor =
  ({ store }: Pick<CommandNeeds, 'store'>): Commands['isAuditor'] =>
  async (organizationId, userId) => {
    if (!isUlid(organizationId) || !isUlid(userId)) return false;
    const [account, { state: organization }] = await Promise.all([
      accountOf({ store }, userId),
      load(store, organizationStream(organizationId), organizationDecider),
    ]);
    return (
      account.status === 'enabled' && account.roles.includes('auditor') && isAuditedBy(organization, userId)
    );
  };

const accountOf = async ({ store }: Pick<CommandNeeds, 'store'>, userId: string) =>
  isUlid(userId) ? (await load(store, accountStream(userId), accountDecider)).state : accountDecider.initial;

type Decide = (
  organization: Organization,
  command: { readonly userId: string; readonly now: Instant },
) => Decision<OrganizationEvent, 'organization-unknown'>;

const change = async (
  { store, now }: Needs,
  { organizationId, userId }: AuditorOfOrganization,
  decide: Decide,
): Promise<Outcome<AuditorChanged, 'organization-unknown'>> => {
  if (!isUlid(organizationId)) return { ok: false, refusal: 'organization-unknown' };
  const { events, refusal, position } = await rerunUnknown(() =>
    handle(
      store,
      organizationStream(organizationId),
      organizationDecider,
      (organization) => decide(organization, { userId, now: now() }),
      { metadata: { actor: 'operator' } },
    ),
  );
  return refusal ? { ok: false, refusal } : { ok: true, value: { changed: events.length > 0, position } };
};
