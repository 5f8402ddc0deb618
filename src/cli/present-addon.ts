import type { Addon } from '../commands/find-addon.ts';

import { answer, sheet, type Answer } from './answer.ts';

/** One add-on, as the output of `addon show` and of every command that changes it. */
export const presentAddon = (addon: Addon): Answer => {
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
    suspended: addon.suspended,
  };
  return answer(
    json,
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
      state: json.suspended ? 'suspended' : 'in use',
    }),
  );
};

const listed = (values: readonly string[]): string => values.join('  ') || 'none';
