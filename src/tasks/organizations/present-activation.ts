import type { Approval, Connections, OrganizationAddon } from '../../projections/read-models.ts';
import type { Activation, OrganizationAddonItem } from './activation-answers.ts';
import type { AddonFacts } from './addon-facts.ts';

export const presentAddon = (addon: OrganizationAddon): OrganizationAddonItem => ({
  client_id: addon.addonId,
  name: addon.name,
  status: addon.status,
  epoch: addon.epoch,
  suspended: addon.suspended,
  retired: addon.retired,
  configuration_url: addon.configurationUrl,
  allowed_scopes: [...addon.allowedScopes],
  activated_by: addon.activatedBy,
  activated_at: addon.activatedAt,
  deactivated_by: addon.deactivatedBy,
  deactivated_at: addon.deactivatedAt,
  revocation: addon.deactivatedAt === null ? null : revocationOf(addon.revokedGrants),
  ...presentConnections(addon),
});

/** The same facts about one add-on, read from the log where possible. The CLI prints them, too. */
export const presentActivation = (organizationId: string, facts: AddonFacts): Activation => {
  const { addon, activation, epoch, held, approvals } = facts;
  const { activated, deactivated, revokedGrants } = epoch ?? nobody;
  return {
    organization_id: organizationId,
    client_id: addon.addonId,
    status: activation.status,
    epoch: activation.epoch,
    name: addon.name,
    suspended: addon.suspended,
    retired: addon.retired,
    configuration_url: addon.configurationUrl,
    allowed_scopes: [...addon.allowedScopes],
    activated_by: activated?.by ?? null,
    activated_at: timeOf(activated),
    deactivated_by: deactivated?.by ?? null,
    deactivated_at: timeOf(deactivated),
    revocation: deactivated ? revocationOf(revokedGrants) : null,
    ...(held ? presentConnections(held) : unknown),
    approvals: held && approvals ? approvals.map(presentApproval) : null,
  };
};

const nobody = { activated: null, deactivated: null, revokedGrants: null };

const timeOf = (acted: { readonly at: number } | null): string | null =>
  acted ? new Date(acted.at).toISOString() : null;

const revocationOf = (grants: number | null) => ({ completed: grants !== null, grants });

const presentConnections = (held: Connections) => ({
  live_grants: held.liveGrants,
  unredeemed_codes: held.unredeemedCodes,
  approvers: held.approvers,
  scopes: [...held.scopes],
  last_token_at: held.lastTokenAt,
});

const unknown = {
  live_grants: null,
  unredeemed_codes: null,
  approvers: null,
  scopes: null,
  last_token_at: null,
};

const presentApproval = (approval: Approval) => ({
  user_id: approval.userId,
  name: approval.name,
  scopes: [...approval.scopes],
  live_grants: approval.liveGrants,
  unredeemed_codes: approval.unredeemedCodes,
  last_token_at: approval.lastTokenAt,
});
