import { Option, type Command } from 'commander';
import type { GrantType, IdTokenAlg } from '../../domain/addons/addon.ts';
import { grantTypes, idTokenAlgs } from '../../domain/addons/events.ts';
import { allowableScopes, type AllowedScope } from '../../domain/access/scope.ts';
import { answer, refused, type Answer } from '../base/answer.ts';
import { findAlikeOf, namedAlike } from '../../administration/look-alikes.ts';
import { changing, type AddCommands } from '../base/define.ts';
import { collect, oneOf, parseName, parseUrl } from '../base/option-values.ts';
import { withService, type CliService } from '../base/service.ts';

type RegisterOptions = {
  readonly name: string;
  readonly redirectUri?: readonly string[];
  readonly postLogoutRedirectUri?: readonly string[];
  readonly configurationUrl?: string;
  readonly scope?: readonly AllowedScope[];
  readonly confidential?: true;
  readonly grantType?: readonly GrantType[];
  readonly idTokenAlg?: IdTokenAlg;
  readonly resourceServer?: true;
  readonly audience?: readonly string[];
  readonly force?: true;
};

/** `addon register`: registers an add-on with all its properties. */
export const addRegisterCommand = (...[addon, io, run]: Parameters<AddCommands>): void => {
  const command = changing(addon, 'register', 'register an add-on and print its client_id');
  withOptions(command).action((options: RegisterOptions) => {
    if (!options.resourceServer && !options.redirectUri)
      command.error("error: required option '--redirect-uri <uri...>' not specified", { exitCode: 2 });
    return run(() => withService(io, (service) => register(service, options)));
  });
};

const withOptions = (command: Command): Command =>
  command
    .requiredOption('--name <name>', 'name that users see when they approve', parseName)
    .option(
      '--redirect-uri <uri...>',
      'where the browser is sent with the code; several may be given',
      collect(parseUrl),
    )
    .option(
      '--post-logout-redirect-uri <uri...>',
      'where the add-on may have the browser sent after a sign-out; several may be given',
      collect(parseUrl),
    )
    .option(
      '--configuration-url <url>',
      'where an administrator is sent after activating; without it the add-on cannot be activated for an organization, only users can allow it',
      parseUrl,
    )
    .option(
      '--scope <scope...>',
      `what the add-on may ask for (default: ${allowableScopes.join(' ')})`,
      collect(oneOf(allowableScopes)),
    )
    .option('--confidential', 'the add-on can keep a secret: create a client_secret and print it once')
    .option(
      '--grant-type <type...>',
      `what the add-on may use at the token endpoint (default: ${grantTypes.join(' ')})`,
      collect(oneOf(grantTypes)),
    )
    .option('--id-token-alg <alg>', 'how its id_tokens are signed (default: RS256)', oneOf(idTokenAlgs))
    .addOption(
      new Option(
        '--resource-server',
        'it only introspects tokens: confidential, without redirect URIs, scopes and grant types',
      ).conflicts([
        'redirectUri',
        'postLogoutRedirectUri',
        'configurationUrl',
        'scope',
        'grantType',
        'idTokenAlg',
      ]),
    )
    .option(
      '--audience <uri...>',
      'resource that a confidential add-on is responsible for: it may introspect tokens for that resource',
      collect(parseUrl),
    )
    .option('--force', 'register it although its name looks like that of another add-on');

const register = async (service: CliService, options: RegisterOptions): Promise<Answer> => {
  const { same, alike } = await findAlikeOf(service, null, options.name);
  // The very same name is reported and taken: scripts register add-ons again (CL-08).
  if (alike.length > 0 && same.length === 0 && !options.force) return looksAlike(alike);
  const outcome = await service.commands.registerAddon({
    name: options.name,
    redirectUris: options.redirectUri ?? [],
    configurationUrl: options.configurationUrl ?? null,
    allowedScopes: options.scope ?? (options.resourceServer ? [] : allowableScopes),
    confidential: options.confidential ?? options.resourceServer ?? false,
    grantTypes: options.grantType ?? (options.resourceServer ? [] : grantTypes),
    postLogoutRedirectUris: options.postLogoutRedirectUri ?? [],
    idTokenAlg: options.idTokenAlg ?? 'RS256',
    audiences: options.audience ?? [],
  });
  if (!outcome.ok)
    return refused(outcome.refusal, 'the add-on cannot be registered like this', outcome.problems);
  await service.settle();
  const { clientId, clientSecret } = outcome.value;
  const warnings = warningsOf(options, same);
  return answer(
    {
      client_id: clientId,
      ...(clientSecret === null ? {} : { client_secret: clientSecret }),
      ...(warnings.length > 0 && { warnings }),
    },
    [
      `Registered "${options.name}" with client_id ${clientId}.`,
      ...(clientSecret === null ? [] : [`Its client_secret, shown only now: ${clientSecret}`]),
      ...warnings.map(({ message }) => `Note: ${message}.`),
    ].join('\n'),
  );
};

type Existing = { readonly addonId: string; readonly name: string };

const looksAlike = (alike: readonly Existing[]): Answer => {
  const named = namedAlike(alike);
  return refused(
    'name-looks-alike',
    `the name looks like that of another add-on, so users could confuse them: ${named}. To register it anyway, add --force`,
    [{ field: 'name', message: `looks like ${named}` }],
  );
};

/** Warnings about values that the operator may not have intended. */
const warningsOf = ({ configurationUrl, resourceServer }: RegisterOptions, same: readonly Existing[]) => [
  ...(same.length === 0
    ? []
    : [
        {
          code: 'name-not-unique',
          message: `another add-on has the same name: ${same.map(({ addonId }) => addonId).join(', ')}`,
        },
      ]),
  ...(configurationUrl !== undefined || resourceServer
    ? []
    : [
        {
          code: 'configuration-url-missing',
          message:
            'without --configuration-url it cannot be activated for an organization; users can allow it to read their own records',
        },
      ]),
];
