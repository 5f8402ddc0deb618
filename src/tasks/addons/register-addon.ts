import { z } from 'zod';
import { grantTypes, idTokenAlgs } from '../../domain/addons/events.ts';
import { allowableScopes, type AllowedScope } from '../../domain/access/scope.ts';
import { address, flag, given, nameField, oneOf, override, several, type Words } from '../fields.ts';
import { findAlikeOf, looksAlike } from './look-alikes.ts';
import { task } from '../task.ts';
import { shown } from '../answer-fields.ts';
import { english } from '../../common/words.ts';

const { fields, addon: texts } = english.tasks;

const uris = (words: Words) => several(address(words)).optional();

/** With the type of a list that is not empty. */
const anyScope = allowableScopes as readonly [AllowedScope, ...AllowedScope[]];

const warning = z.object({ code: z.string(), message: shown(z.string(), { as: 'sentence' }) });

export const register = task({
  name: 'register',
  ...texts.register,
  at: { method: 'POST', path: '' },
  command: { prints: ['client_id', 'client_secret', 'warnings'] },
  isCreating: true,
  rules: [
    {
      field: 'resource_server',
      excludes: [
        'redirect_uri',
        'post_logout_redirect_uri',
        'configuration_url',
        'scope',
        'grant_type',
        'id_token_alg',
      ],
    },
    { field: 'redirect_uri', requiredUnless: 'resource_server' },
  ],
  input: z.object({
    name: nameField(texts.fields.name),
    redirect_uri: uris(fields.redirect_uri),
    post_logout_redirect_uri: uris(fields.post_logout_redirect_uri),
    configuration_url: address(texts.register.fields.configuration_url).optional(),
    scope: several(oneOf(given(texts.register.fields.scope, allowableScopes.join(' ')), anyScope)).optional(),
    confidential: flag(fields.confidential).optional(),
    grant_type: several(oneOf(given(fields.grant_type, grantTypes.join(' ')), grantTypes)).optional(),
    id_token_alg: oneOf(fields.id_token_alg, idTokenAlgs).optional(),
    resource_server: flag(fields.resource_server).optional(),
    audience: uris(fields.audience),
    force: override(texts.register.fields.force, ['name-looks-alike']).optional(),
  }),
  adds: z.object({ client_secret: z.string().optional(), warnings: z.array(warning).optional() }),
  run: async (services, _id, input, context) => {
    const alike = await findAlikeOf(services, null, input.name);
    if (alike.length > 0 && !input.force) return looksAlike(alike);
    const isServer = input.resource_server ?? false;
    const outcome = await services.commands.registerAddon(
      {
        name: input.name,
        redirectUris: input.redirect_uri ?? [],
        configurationUrl: input.configuration_url ?? null,
        allowedScopes:
          (input.scope as readonly AllowedScope[] | undefined) ?? (isServer ? [] : allowableScopes),
        confidential: input.confidential ?? isServer,
        grantTypes: input.grant_type ?? (isServer ? [] : grantTypes),
        postLogoutRedirectUris: input.post_logout_redirect_uri ?? [],
        idTokenAlg: input.id_token_alg ?? 'RS256',
        audiences: input.audience ?? [],
      },
      context,
    );
    if (!outcome.ok) return { ...outcome, message: 'the add-on cannot be registered like this' };
    const { clientId, clientSecret } = outcome.value;
    const warnings = input.configuration_url !== undefined || isServer ? [] : [notForOrganizations];
    return {
      ok: true,
      text: [
        `Registered "${input.name}" with client_id ${clientId}.`,
        ...(clientSecret === null ? [] : [`Its client_secret, shown only now: ${clientSecret}`]),
        ...warnings.map(({ message }) => `Note: ${message}.`),
      ].join('\n'),
      position: null,
      id: clientId,
      json: {
        ...(clientSecret !== null && { client_secret: clientSecret }),
        ...(warnings.length > 0 && { warnings }),
      },
    };
  },
});

const notForOrganizations = {
  code: 'configuration-url-missing',
  message:
    'without a configuration URL it cannot be activated for an organization; users can allow it to read their own records',
};
