import type { Addon } from '../commands/find-addon.ts';

import { answer, sheet, type Answer } from './answer.ts';

/** What a retirement or a removal of scopes has ended; without an organization: grants of users' own records. */
export type AddonReceipt = {
  readonly organization_id: string | null;
  readonly client_id: string;
  /** Of a deactivation. */
  readonly epoch?: number;
  /** Of the event; of a deactivation. */
  readonly position?: string;
  readonly fenced_at?: string;
  readonly repeated?: boolean;
  /** Of grants that were revoked one by one. */
  readonly revoked_grants?: number;
};

const receiptsText = (receipts: readonly AddonReceipt[]): string =>
  receipts.length === 0
    ? 'No grant had to end.'
    : receipts
        .map(({ organization_id: organization, epoch, position, revoked_grants: revoked }) => {
          const whose = organization === null ? "users' own records" : `organization ${organization}`;
          return revoked === undefined
            ? `Deactivated for ${whose}: epoch ${epoch}, event ${position}.`
            : `Revoked on ${whose}: ${revoked === 1 ? '1 grant' : `${revoked} grants`}.`;
        })
        .join('\n');

/** One add-on, as the output of `addon show` and of every command that changes it. */
export const presentAddon = (addon: Addon, receipts?: readonly AddonReceipt[]): Answer => {
  const json = {
    client_id: addon.addonId,
    name: addon.name,
    redirect_uris: addon.redirectUris,
    configuration_url: addon.configurationUrl,
    scopes: addon.allowedScopes,
    confidential: addon.secretDigests.length > 0,
    grant_types: addon.grantTypes,
    post_logout_redirect_uris: addon.postLogoutRedirectUris,
    id_token_alg: addon.idTokenAlg,
    audiences: addon.audiences,
    allowed_audiences: addon.allowedAudiences.map(({ audience }) => audience),
    publisher: addon.publisher,
    website: addon.website,
    privacy_url: addon.privacyUrl,
    support_url: addon.supportUrl,
    has_logo: addon.hasLogo,
    suspended: addon.suspended,
    retired: addon.retired,
  };
  return answer(
    { ...json, ...(receipts && { receipts }) },
    sheet({
      client_id: json.client_id,
      name: json.name,
      'redirect URIs': listed(json.redirect_uris),
      'after a sign-out': listed(json.post_logout_redirect_uris),
      'configuration URL': json.configuration_url ?? 'none: it cannot be activated for an organization',
      scopes: listed(json.scopes),
      'grant types': listed(json.grant_types),
      'id_token signed by': json.id_token_alg,
      audiences: listed(json.audiences),
      'may ask for': listed(json.allowed_audiences),
      kind: json.confidential ? 'confidential' : 'public',
      publisher: json.publisher ?? 'unknown',
      website: json.website ?? 'none',
      privacy: json.privacy_url ?? 'none',
      support: json.support_url ?? 'none',
      logo: json.has_logo ? 'yes' : 'none',
      state: stateOf(addon),
    }) + (receipts ? `\n${receiptsText(receipts)}` : ''),
  );
};

export const stateOf = ({ retired, suspended }: Pick<Addon, 'retired' | 'suspended'>): string =>
  retired ? 'retired' : suspended ? 'suspended' : 'in use';

const listed = (values: readonly string[]): string => values.join('  ') || 'none';
