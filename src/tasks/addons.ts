import { z } from 'zod';
import type { CommandContext } from '../commands/kernel/context.ts';
import type { Addon } from '../commands/addons/find-addon.ts';
import { grantTypes, idTokenAlgs, unsettable } from '../domain/addons/events.ts';
import { logoIn, mostLogoBytes, type UpdateRefusal } from '../domain/addons/addon-update.ts';
import { isUlid } from '../domain/kernel/ids.ts';
import { allowableScopes, type AllowedScope } from '../domain/access/scope.ts';
import { addonStream } from '../domain/streams.ts';
import { actorOf } from './actor-of.ts';
import { named } from './named.ts';
import { unknownThing } from './outcomes.ts';
import { addonReceipt, retirementReceipts, scopeReceipts } from './addons/addon-receipts.ts';
import { approveChange, changes, refuseChange, showChange } from './addons/decide-changes.ts';
import { addSecret, removeSecret, secrets } from './addons/addon-secrets.ts';
import {
  address,
  file,
  flag,
  list,
  nameField,
  oneOf,
  orNull,
  override,
  reference,
  several,
  text,
  type Words,
  yesOrNo,
} from './fields.ts';
import { findAlikeOf, looksAlike } from './addons/look-alikes.ts';
import { refusals } from './addons/refusals.ts';
import { register } from './addons/register-addon.ts';
import { withResourceServers } from './addons/resource-servers.ts';
import { entity, sortedBy, task, type Json, type Services, type Task, type TaskOutcome } from './task.ts';
import { idOf, nameOf, shown, technical } from './answer-fields.ts';
import { english } from '../common/words.ts';
import { snakeCase } from '../domain/kernel/snake-case.ts';
import { eachSentAddress, eachWebAddress } from '../domain/addons/web-addresses.ts';

const { fields, addon: texts } = english.tasks;

const shape = z.object({
  client_id: idOf('addon'),
  name: nameOf(),
  redirect_uris: technical(z.array(z.string())).readonly(),
  configuration_url: technical(z.string())
    .nullable()
    .describe('`null`: it cannot be activated for an organization.'),
  scopes: shown(z.array(z.enum(allowableScopes)).readonly(), { as: 'scopes', from: 'l' }),
  confidential: technical(z.boolean()),
  grant_types: technical(z.array(z.enum(grantTypes))).readonly(),
  post_logout_redirect_uris: technical(z.array(z.string())).readonly(),
  id_token_alg: technical(z.enum(idTokenAlgs)),
  audiences: technical(z.array(z.string())).readonly(),
  allowed_audiences: technical(z.array(z.string())).readonly(),
  publisher: shown(z.string(), { isSecond: true }).nullable(),
  publisher_id: idOf('publisher')
    .nullable()
    .describe('Its members look after the add-on, and `publisher` is its name.'),
  verified: shown(z.boolean(), { inHead: true }).describe(
    'Whether people who approve read that the platform has checked it.',
  ),
  ...eachSentAddress(() => z.string().nullable()),
  has_logo: shown(z.boolean(), { as: 'logo' }),
  suspended: shown(z.boolean(), { as: 'standing', label: 'state' }),
  retired: shown(z.boolean(), { isRepeated: true }).describe('Retired: permanently ended.'),
});

export type AddonItem = z.infer<typeof shape>;

export const presentAddonItem = (addon: Addon): AddonItem => ({
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
  publisher_id: addon.publisherId,
  verified: addon.verified,
  ...eachSentAddress((_field, name) => addon[name]),
  has_logo: addon.hasLogo,
  suspended: addon.suspended,
  retired: addon.retired,
});

const show = async ({ commands }: Services, addonId: string): Promise<AddonItem | null> => {
  const addon = await commands.currentAddon(addonId);
  return addon && presentAddonItem(addon);
};

const filters = z.object({
  search: text(texts.filters.search).optional(),
  publisher: reference(texts.filters.publisher, 'publisher').optional(),
  waiting_changes: yesOrNo(fields.waiting_changes).optional(),
  sort: sortedBy('created_at', 'name'),
});

const unknown = (addonId: string): TaskOutcome => unknownThing({ name: 'addon', noun: 'add-on' }, addonId);

const behind: TaskOutcome = {
  ok: false,
  refusal: 'read-models-behind',
  message:
    'what was changed holds, but some grants may not have ended, because the read models are behind: repeat it',
};

const behindBefore: TaskOutcome = {
  ok: false,
  refusal: 'grants-not-known',
  message:
    'nothing was changed, because it is not known which grants there are: the read models are behind; repeat it',
};

const messages = {
  'addon-retired': 'the add-on was retired',
  'addon-invalid': 'the add-on cannot be changed like this',
  'too-many-audiences': 'an add-on may ask for 100 resources at most',
} satisfies Record<Exclude<UpdateRefusal, 'addon-unknown'>, string>;

const uri = (words: Words) => several(address(words)).optional();
const logoFile = file(fields.logo, english.allowed.image, mostLogoBytes);

/** With the type of a list that is not empty. */
const anyScope = allowableScopes as readonly [AllowedScope, ...AllowedScope[]];

const input = z.object({
  name: nameField(texts.fields.name).optional(),
  add_redirect_uri: uri(fields.add_redirect_uri),
  remove_redirect_uri: uri(fields.remove_redirect_uri),
  configuration_url: address(texts.fields.configuration_url).optional(),
  scope: several(oneOf(texts.update.fields.scope, anyScope)).optional(),
  logo: logoFile.optional(),
  publisher: nameField(texts.fields.publisher).optional(),
  publisher_id: reference(fields.publisher_id, 'publisher').optional(),
  verified: yesOrNo(fields.verified).optional(),
  ...eachSentAddress((field) => address(fields[field]).optional()),
  add_post_logout_redirect_uri: uri(fields.add_post_logout_redirect_uri),
  remove_post_logout_redirect_uri: uri(fields.remove_post_logout_redirect_uri),
  add_audience: uri(fields.add_audience),
  remove_audience: uri(fields.remove_audience),
  apply_to_grants: flag(fields.apply_to_grants, 'scope').optional(),
  force: override(texts.update.fields.force, ['name-looks-alike'], 'name').optional(),
});

const declares = z.object({
  redirect_uris: list(
    address({ title: 'Redirect URIs', description: 'where codes may be sent to' }),
  ).optional(),
  scopes: list(oneOf({ title: 'Scopes', description: 'what it may ask for' }, anyScope)).optional(),
  post_logout_redirect_uris: list(
    address({ title: 'Addresses after a sign-out', description: 'where a sign-out may lead' }),
  ).optional(),
  audiences: list(
    address({ title: 'Own resources', description: 'resources for whose tokens it may introspect' }),
  ).optional(),
  allowed_audiences: list(
    address({ title: 'Resources', description: 'resources of other servers that it may ask for' }),
  ).optional(),
  configuration_url: orNull(input.shape.configuration_url.unwrap()).optional(),
  publisher: orNull(input.shape.publisher.unwrap()).optional(),
  publisher_id: orNull(input.shape.publisher_id.unwrap()).optional(),
  ...eachSentAddress((field) => orNull(address(fields[field])).optional()),
  logo: orNull(logoFile).optional(),
});

type Input = z.infer<typeof input> & Omit<z.infer<typeof declares>, keyof z.infer<typeof input>>;

const change: Task['run'] = async (services, addonId, asked, context) => {
  const { commands } = services;
  const { input, unset } = withoutNulls(asked);
  const logo = input.logo === undefined ? null : logoIn(input.logo);
  if (input.logo !== undefined && logo === null)
    return invalid([{ field: 'logo', message: english.problems.image }]);
  const alike = await findAlikeOf(services, addonId, input.name);
  if (alike.length > 0 && !input.force) return looksAlike(alike);
  if (input.apply_to_grants && !(await commands.catchUpWithGrants())) return behindBefore;
  const outcome = await commands.updateAddon(
    {
      addonId,
      ...(asked['publisher_id'] !== undefined && { publisherId: asked['publisher_id'] as string | null }),
      name: input.name ?? null,
      addRedirectUris: input.add_redirect_uri ?? [],
      removeRedirectUris: input.remove_redirect_uri ?? [],
      configurationUrl: input.configuration_url ?? null,
      scopes: ((input.scopes ?? input.scope) as readonly AllowedScope[] | undefined) ?? null,
      redirectUris: input.redirect_uris ?? null,
      postLogoutRedirectUris: input.post_logout_redirect_uris ?? null,
      audiences: input.audiences ?? null,
      allowedAudiences:
        input.allowed_audiences === undefined
          ? null
          : await withResourceServers(services, [...new Set(input.allowed_audiences)]),
      unset,
      logo,
      publisher: input.publisher ?? null,
      verified: input.verified ?? null,
      ...eachWebAddress((name) => input[snakeCase(name)] ?? null),
      addPostLogoutRedirectUris: input.add_post_logout_redirect_uri ?? [],
      removePostLogoutRedirectUris: input.remove_post_logout_redirect_uri ?? [],
      addAudiences: await withResourceServers(services, [...new Set(input.add_audience)]),
      removeAudiences: [...new Set(input.remove_audience)],
    },
    context,
  );
  if (!outcome.ok) {
    if (outcome.refusal === 'addon-unknown') return unknown(addonId);
    if (outcome.refusal === 'publisher-unknown') return unknownPublisher;
    const { refusal, problems } = outcome;
    const named = problems?.map(({ field, message }) => ({ field: fieldOf(field, asked), message }));
    return { ok: false, refusal, message: messages[refusal], ...(named && { problems: named }) };
  }
  const { position } = outcome.value;
  const text = position === null ? 'Nothing was to be changed.' : 'Changed.';
  if (!input.apply_to_grants) return { ok: true, text, position };
  return applied(services, addonId, { text, position }, context);
};

const update = task({
  name: 'update',
  ...texts.update,
  input,
  isProperty: true,
  adds: z.object({ receipts: z.array(addonReceipt).optional() }),
  run: change,
});

/** What is to be removed, and everything else. */
const withoutNulls = (asked: Json) => ({
  input: Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null)) as Input,
  unset: unsettable.filter((property) => asked[snakeCase(property)] === null),
});

const fieldOf = (field: string, sent: Json): string => {
  const name = snakeCase(field.replace(/\[\d+\]$/, ''));
  const one = name.replace(/s$/, '');
  return [name, one, `add_${one}`, `remove_${one}`].find((candidate) => candidate in sent) ?? name;
};

const invalid = (problems: readonly { field: string; message: string }[]): TaskOutcome => ({
  ok: false,
  refusal: 'addon-invalid',
  message: messages['addon-invalid'],
  problems,
});

const unknownPublisher = invalid([{ field: 'publisher_id', message: english.problems.findPublisher }]);

const applied = async (
  { commands }: Services,
  addonId: string,
  { text, position }: Pick<Extract<TaskOutcome, { readonly ok: true }>, 'text' | 'position'>,
  context: CommandContext,
): Promise<TaskOutcome> => {
  const outcome = await commands.applyAddonScopes(addonId, context);
  if (!outcome.ok) return outcome.refusal === 'addon-unknown' ? unknown(addonId) : behind;
  const { ended, position: newest } = outcome.value;
  const count = ended.reduce((sum, { grants }) => sum + grants, 0);
  return {
    ok: true,
    text: `${text} Revoked grants: ${count}.`,
    position: newest ?? position,
    json: { receipts: scopeReceipts(addonId, ended) },
  };
};

const setSuspended = (name: 'suspend' | 'resume', done: string) =>
  task({
    name,
    ...texts[name],
    input: z.object({}),
    adds: z.object({ changed: z.boolean().optional() }),
    ...(name === 'suspend' && { ends: [] }),
    isUseful: ({ suspended, retired }) => retired !== true && suspended === (name === 'resume'),
    run: async ({ commands }, addonId, _input, context) => {
      const outcome = await (name === 'suspend'
        ? commands.suspendAddon(addonId, context)
        : commands.resumeAddon(addonId, context));
      if (!outcome.ok)
        return outcome.refusal === 'addon-unknown'
          ? unknown(addonId)
          : { ok: false, refusal: outcome.refusal, message: messages[outcome.refusal] };
      const { position } = outcome.value;
      return { ok: true, text: position === null ? 'Nothing was to be changed.' : done, position };
    },
  });

const suspend = setSuspended('suspend', 'Suspended: its tokens are refused.');
const resume = setSuspended('resume', 'Resumed: its tokens work again.');

const retire = task({
  name: 'retire',
  ...texts.retire,
  isFinal: true,
  ends: ['grants'],
  input: z.object({}),
  adds: z.object({ receipts: z.array(addonReceipt) }),
  run: async ({ commands }, addonId, _input, context) => {
    const outcome = await commands.retireAddon({ addonId, ...actorOf(context) }, context);
    if (!outcome.ok) return outcome.refusal === 'addon-unknown' ? unknown(addonId) : behind;
    const receipts = retirementReceipts(addonId, outcome.value);
    const { position } = outcome.value;
    return { ok: true, text: `Retired. Receipts: ${receipts.length}.`, position, json: { receipts } };
  },
});

/** To how many it is counted. */
const mostWaiting = 1_000;

/** Add-ons: what they are called and may ask for, and whether they may act at all. */
export const addons = entity({
  name: 'addon',
  noun: 'add-on',
  plural: 'addons',
  idKey: 'client_id',
  shape,
  example: {
    client_id: '01JD2C4Q6S8V0X2Z4B6D8F0H2K',
    name: 'Door Opener',
    redirect_uris: ['https://doors.example/callback'],
    configuration_url: 'https://doors.example/configure',
    scopes: ['access-rights:read'],
    confidential: true,
    grant_types: ['authorization_code', 'refresh_token'],
    post_logout_redirect_uris: [],
    id_token_alg: 'RS256',
    audiences: [],
    allowed_audiences: [],
    publisher: 'Doors Ltd',
    publisher_id: null,
    verified: true,
    website: 'https://doors.example/',
    privacy_url: 'https://doors.example/privacy',
    support_url: null,
    has_logo: true,
    suspended: false,
    retired: false,
  } satisfies AddonItem,
  filters,
  columns: texts.columns,
  show,
  /** The read models name them; each is shown as the log has it. */
  list: async ({ commands, readModels }, { search, publisher, waiting_changes: waiting, sort }, page) => {
    const { rows, ...rest } = await readModels.addonIds(
      { search: search ?? null, publisherId: publisher ?? null, withChanges: waiting ?? false },
      { ...page, sort },
    );
    const found = await Promise.all(rows.map(({ id }) => commands.findAddon(id)));
    const items = found.filter((addon) => addon !== null).map(presentAddonItem);
    return { items, ...rest };
  },
  isId: isUlid,
  find: (services, text) => named(services, 'addon', text, show),
  stream: addonStream,
  change,
  declares,
  work: {
    filters: { waiting_changes: 'true' },
    count: async ({ readModels }) => {
      const waiting = { search: null, publisherId: null, withChanges: true };
      const { total } = await readModels.addonIds(waiting, { after: null, limit: 1, countTo: mostWaiting });
      return total?.count ?? 0;
    },
  },
  tasks: [update, addSecret, removeSecret, showChange, approveChange, refuseChange, suspend, resume, retire],
  making: [register],
  parts: [secrets, changes, refusals],
});
