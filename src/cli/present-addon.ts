import { presentAddonItem } from '../administration/addons.ts';
import type { AddonReceipt } from '../administration/addon-receipts.ts';
import type { Addon } from '../commands/find-addon.ts';
import { answer, sheet, type Answer } from './answer.ts';

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
  const json = presentAddonItem(addon);
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
