import { z } from 'zod';
import { grantTypes, idTokenAlgs } from '../../domain/addons/events.ts';
import { allowableScopes, type AllowedScope } from '../../domain/access/scope.ts';
import { address, flag, oneOf, several, text } from '../fields.ts';
import { findAlikeOf, looksAlike } from './look-alikes.ts';
import { task } from '../task.ts';
import { shown } from '../answer-fields.ts';

const uris = (title: string, description: string) => several(address({ title, description })).optional();

/** With the type of a list that is not empty. */
const anyScope = allowableScopes as readonly [AllowedScope, ...AllowedScope[]];

const warning = z.object({ code: z.string(), message: shown(z.string(), { as: 'sentence' }) });

export const register = task({
  name: 'register',
  summary: 'Register an add-on',
  effect: 'Nobody has granted it anything yet.',
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
    name: text({ title: 'Name', description: 'name that users see when they approve' }),
    redirect_uri: uris('Redirect URIs', 'where the browser is sent with the code'),
    post_logout_redirect_uri: uris(
      'Addresses after a sign-out',
      'where the add-on may have the browser sent after a sign-out',
    ),
    configuration_url: address({
      title: 'Configuration URL',
      description:
        'where an administrator is sent after activating; without it the add-on cannot be activated for an organization, only users can allow it',
    }).optional(),
    scope: several(
      oneOf(
        {
          title: 'Scopes',
          description: `what the add-on may ask for (default: ${allowableScopes.join(' ')})`,
        },
        anyScope,
      ),
    ).optional(),
    confidential: flag({
      title: 'Confidential',
      description: 'the add-on can keep a secret: create a client_secret, which is shown once',
    }).optional(),
    grant_type: several(
      oneOf(
        {
          title: 'Grant types',
          description: `what the add-on may use at the token endpoint (default: ${grantTypes.join(' ')})`,
        },
        grantTypes,
      ),
    ).optional(),
    id_token_alg: oneOf(
      { title: 'Algorithm of id_tokens', description: 'how its id_tokens are signed (default: RS256)' },
      idTokenAlgs,
    ).optional(),
    resource_server: flag({
      title: 'Resource server',
      description: 'it only introspects tokens: confidential, without redirect URIs, scopes and grant types',
    }).optional(),
    audience: uris(
      'Resources',
      'resource that a confidential add-on is responsible for: it may introspect tokens for that resource',
    ),
    force: flag({
      title: 'Force',
      description: 'register it although its name looks like that of another add-on',
    }).optional(),
  }),
  adds: z.object({ client_secret: z.string().optional(), warnings: z.array(warning).optional() }),
  run: async (services, _id, input, context) => {
    const { same, alike } = await findAlikeOf(services, null, input.name);
    // The very same name is reported and taken: scripts register add-ons again (CL-08).
    if (alike.length > 0 && same.length === 0 && !input.force) return looksAlike(alike);
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
    const warnings = [
      ...(same.length === 0 ? [] : [notUnique(same.map(({ addonId }) => addonId))]),
      ...(input.configuration_url !== undefined || isServer ? [] : [notForOrganizations]),
    ];
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

const notUnique = (ids: readonly string[]) => ({
  code: 'name-not-unique',
  message: `another add-on has the same name: ${ids.join(', ')}`,
});

const notForOrganizations = {
  code: 'configuration-url-missing',
  message:
    'without a configuration URL it cannot be activated for an organization; users can allow it to read their own records',
};
