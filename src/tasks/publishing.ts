import { z } from 'zod';
import type { CommandContext } from '../commands/kernel/context.ts';
import type { FieldProblem } from '../commands/kernel/outcome.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import { isUlid } from '../domain/kernel/ids.ts';
import { addonStream } from '../domain/streams.ts';
import { addons, presentAddonItem } from './addons.ts';
import {
  changeExample,
  changeField,
  changeFields,
  changeMessage,
  changeShape,
  type ChangeRefusal,
  presentChange,
  proposalIn,
} from './addons/addon-changes.ts';
import {
  activeOrganizations,
  addedSecret,
  addonChanges,
  addonRefusals,
  addonSecrets,
  addonUsage,
  type AddonUsage,
} from './publishing/answers.ts';
import {
  changesOf,
  organizationsOf,
  ownAddon,
  ownOf,
  publishersOf,
  secretsOf,
  signalsOf,
} from './publishing/facts.ts';
import { english } from '../common/words.ts';
import { pageFields, position, text } from './fields.ts';
import { refusalExample, refusalsOf } from './addons/refusals.ts';
import { notTheLast, removeSecret as removeSecretOfAny } from './addons/addon-secrets.ts';
import { ofWaiting } from './addons/decide-changes.ts';
import { signals as streams, traceOf, type SignalItem } from './signals.ts';
import {
  entity,
  task,
  type Json,
  type Listed,
  type Page,
  type Services,
  type Task,
  type TaskRefused,
} from './task.ts';

const texts = english.tasks['own-addon'];

const list = async (services: Services, _filters: Json, { after, limit }: Page): Promise<Listed> => {
  const publisherIds = await publishersOf(services, ownOf(services).member);
  const ids = await services.readModels.addonsOfPublishers(publisherIds, { after, limit: limit + 1 });
  const page = ids.slice(0, limit);
  const found = await Promise.all(page.map((addonId) => ownAddon(services, addonId)));
  return {
    items: found.filter((addon) => addon !== null).map(presentAddonItem),
    next: ids.length > limit ? (page.at(-1) ?? null) : null,
  };
};

const messages = {
  'addon-unknown': 'none of your add-ons has this client_id',
  'signals-unknown': 'the add-on has no signal stream',
};

const messageOf = (refusal: OwnRefusal): string =>
  refusal === 'addon-unknown' || refusal === 'signals-unknown' ? messages[refusal] : changeMessage(refusal);

type OwnRefusal = keyof typeof messages | ChangeRefusal;

const refused = (refusal: OwnRefusal, problems?: readonly FieldProblem[]): TaskRefused => ({
  ok: false,
  refusal,
  message: messageOf(refusal),
  ...(problems && {
    problems: problems.map(({ field, message }) => ({ field: changeField(field), message })),
  }),
});

const later = (retryAt: Instant, message: string): TaskRefused => ({
  ok: false,
  refusal: 'too-many-requests',
  message,
  retryAt,
});

const answered = (json: Json) => ({ ok: true, text: '', position: null, json }) as const;

type Described<Input extends z.ZodObject> = Omit<
  Parameters<typeof task<Input>>[0],
  'effect' | 'at' | 'command' | 'run'
> & {
  /** Empty: nothing that has to be said. */
  readonly effect?: string;
  readonly method?: 'POST' | 'DELETE';
  readonly path: string;
  readonly words: string;
  readonly run: (
    services: Services,
    addonId: string,
    input: z.infer<Input>,
    context: CommandContext,
  ) => Promise<Json | TaskRefused>;
};

/** About an own add-on. Another's is not found, like one that nobody has. */
const own = <Input extends z.ZodObject>({
  effect = '',
  method,
  path,
  words,
  run,
  ...described
}: Described<Input>): Task =>
  task({
    ...described,
    effect,
    at: { method: method ?? 'GET', path },
    isRead: method === undefined,
    command: { words: `publisher ${words}` },
    run: async (services, addonId, input, context) => {
      if (!(await ownAddon(services, addonId))) return refused('addon-unknown');
      const given = await run(services, addonId, input, context);
      return given['ok'] === false ? (given as TaskRefused) : answered(given as Json);
    },
  } as Parameters<typeof task<Input>>[0]);

/** Changes of an add-on are events of it: a member makes so many a day, and all together. What ends something is never counted out (FX-89). */
const paused = async (services: Services, addonId: string): Promise<TaskRefused | null> => {
  const { commands } = services;
  const { userId } = ownOf(services).member;
  const until = await commands.addonChangesPausedUntil(addonId, userId);
  return until === null ? null : later(until, 'the add-on was changed too often today: try again tomorrow');
};

const none = z.object({});
const clientId = String(addons.example['client_id']);
const secretsExample = {
  items: [{ secret_id: '01JD6P8R0T2V4X6Z8B0D2F4H6M', added_at: '2026-05-01T08:00:00.000Z' }],
};

const listOrganizations = own({
  name: 'list-organizations',
  ...texts['list-organizations'],
  path: 'organizations',
  words: 'organizations',
  input: pageFields,
  answers: {
    name: 'ActiveOrganizations',
    said: 'One page of them.',
    shape: activeOrganizations,
    example: {
      items: [
        {
          organization_id: '01JD1B3P5R7T9V1X3Z5B7D9F1H',
          name: 'Harbour House',
          activated_at: '2026-05-01T08:00:00.000Z',
        },
      ],
      next: null,
      shown: 1,
      hidden: 2,
    },
  },
  rows: {
    of: 'items',
    columns: texts.parts.organizations,
    none: texts.none.organizations,
  },
  run: (services, addonId, { after = null, limit }) => organizationsOf(services, addonId, { after, limit }),
});

const listSecrets = own({
  name: 'list-secrets',
  ...texts['list-secrets'],
  path: 'secrets',
  words: 'secret list',
  input: none,
  answers: {
    name: 'AddonSecrets',
    said: 'The valid ones, oldest first.',
    shape: addonSecrets,
    example: secretsExample,
  },
  rows: {
    of: 'items',
    columns: texts.parts.secrets,
    none: texts.none.secrets,
  },
  run: async (services, addonId) => ({ items: await secretsOf(services, addonId) }),
});

const addSecret = own({
  name: 'add-secret',
  problems: ['change-refused'],
  ...texts['add-secret'],
  method: 'POST',
  path: 'secrets',
  words: 'secret add',
  isUseful: ({ confidential, retired }) => confidential === true && retired === false,
  input: none,
  answers: {
    name: 'AddedSecret',
    said: 'The secret.',
    status: 201,
    shape: addedSecret,
    example: {
      client_id: clientId,
      secret_id: '01JD6P8R0T2V4X6Z8B0D2F4H6M',
      client_secret: 'mkt_cs_9Qw3eVAJx0rY4mQm2d1s8',
    },
  },
  run: async (services, addonId, _input, context) => {
    const wait = await paused(services, addonId);
    if (wait) return wait;
    const { member } = ownOf(services);
    const added = await services.commands.addOwnAddonSecret({ addonId, member }, context);
    if (!added.ok) return refused(added.refusal);
    const { secretId, clientSecret } = added.value;
    return { client_id: addonId, secret_id: secretId, client_secret: clientSecret };
  },
});

const removeSecret = own({
  name: 'remove-secret',
  problems: ['change-refused'],
  ...texts['remove-secret'],
  effect: removeSecretOfAny.effect,
  method: 'DELETE',
  path: 'secrets/{secret}',
  words: 'secret remove',
  argument: 'secret',
  of: notTheLast,
  ends: [],
  input: z.object({
    secret: text(texts['remove-secret'].fields.secret),
  }),
  answers: {
    name: 'AddonSecrets',
    said: 'Those that are left.',
    shape: addonSecrets,
    example: secretsExample,
  },
  run: async (services, addonId, { secret: secretId }, context) => {
    const { member } = ownOf(services);
    const removed = await services.commands.removeOwnAddonSecret({ addonId, member, secretId }, context);
    return removed.ok ? { items: await secretsOf(services, addonId) } : refused(removed.refusal);
  },
});

const listChanges = own({
  name: 'list-changes',
  ...texts['list-changes'],
  path: 'changes',
  words: 'change list',
  input: none,
  answers: {
    name: 'AddonChanges',
    said: 'The newest first.',
    shape: addonChanges,
    example: { items: [changeExample] },
  },
  rows: {
    of: 'items',
    none: texts.none.changes,
    columns: texts.parts.changes,
  },
  run: async (services, addonId) => ({ items: await changesOf(services, addonId) }),
});

const propose = own({
  name: 'propose-change',
  problems: ['change-refused'],
  bodyName: 'AddonChangeForm',
  ...texts['propose-change'],
  method: 'POST',
  path: 'changes',
  words: 'change propose',
  takesReason: true,
  isProposal: true,
  isUseful: ({ retired }) => retired === false,
  effectNow: ({ own }) => (own?.isFree === true ? 'effectAtOnce' : 'effectLater'),
  input: changeFields,
  answers: {
    name: 'AddonChange',
    said: 'The change.',
    status: 201,
    shape: changeShape,
    example: changeExample,
  },
  run: async (services, addonId, fields, context) => {
    const wait = await paused(services, addonId);
    if (wait) return wait;
    const { member, isFree } = ownOf(services);
    const request = { addonId, member, isFree, ...proposalIn(fields) };
    const outcome = await services.commands.proposeAddonChange(request, context);
    return outcome.ok ? presentChange(outcome.value.change) : refused(outcome.refusal, outcome.problems);
  },
});

const withdraw = own({
  name: 'withdraw-change',
  problems: ['change-refused'],
  ...texts['withdraw-change'],
  method: 'POST',
  path: 'changes/{change}/withdraw',
  words: 'change withdraw',
  argument: 'change',
  of: ofWaiting,
  input: z.object({ change: text(texts['withdraw-change'].fields.change) }),
  answers: {
    name: 'AddonChange',
    said: 'The change.',
    shape: changeShape,
    example: { ...changeExample, state: 'withdrawn', decided_at: '2026-05-03T16:20:00.000Z' },
  },
  run: async (services, addonId, { change: changeId }, context) => {
    const outcome = await services.commands.withdrawAddonChange({ addonId, changeId }, context);
    return outcome.ok ? presentChange(outcome.value.change) : refused(outcome.refusal);
  },
});

const stream = {
  name: 'ManagedSignals',
  said: 'The stream.',
  shape: streams.shape,
  example: streams.example,
};
const shown = async (services: Services, addonId: string): Promise<SignalItem | TaskRefused> =>
  (await signalsOf(services, addonId)) ?? refused('signals-unknown');

const showSignals = own({
  name: 'show-signals',
  problems: ['signals-unknown'],
  ...texts['show-signals'],
  path: 'signals',
  words: 'signals show',
  input: none,
  answers: stream,
  run: shown,
});

const testSignals = own({
  name: 'test-signals',
  problems: ['signals-unknown'],
  ...texts['test-signals'],
  method: 'POST',
  path: 'signals/test',
  words: 'signals test',
  input: none,
  answers: stream,
  run: async (services, addonId, _input, context) => {
    const found = await services.commands.findSignalStream(addonId);
    if (!found) return refused('signals-unknown');
    const asked = { stream: found, state: null, txn: traceOf(context), isUnlimited: false };
    const verified = await services.signals.verify(asked);
    return verified.ok
      ? shown(services, addonId)
      : later(verified.retryAt, 'wait five seconds between two verification events');
  },
});

export const replayFields = z.object({
  after: position(texts['replay-signals'].fields.after),
});

const replaySignals = own({
  name: 'replay-signals',
  problems: ['signals-unknown'],
  bodyName: 'ReplaySignalsForm',
  ...texts['replay-signals'],
  method: 'POST',
  path: 'signals/replay',
  words: 'signals replay',
  input: replayFields,
  answers: stream,
  run: async (services, addonId, { after }, context) => {
    const { commands, signals } = services;
    const found = await commands.findSignalStream(addonId);
    if (!found) return refused('signals-unknown');
    const until = await commands.signalChangesPausedUntil(addonId, ownOf(services).member.userId);
    if (until !== null) return later(until, 'the stream was changed too often: try again in an hour');
    const { streamId } = found;
    if (!(await commands.replaySignalStream({ streamId, after }, context)).ok)
      return refused('signals-unknown');
    await signals.wake(streamId);
    return shown(services, addonId);
  },
});

/** Two more are kept (keep-usage.ts). */
const usageDays = 30;

export const usageFields = z.object({
  days: z
    .int()
    .min(1)
    .max(usageDays)
    .default(usageDays)
    .meta({
      description: 'How many days, today among them.',
      'x-allowed': `a whole number from 1 to ${usageDays}`,
    }),
});

const showUsage = own({
  name: 'show-usage',
  ...texts['show-usage'],
  path: 'usage',
  words: 'usage',
  input: usageFields,
  answers: {
    name: 'AddonUsage',
    said: 'The last days.',
    shape: addonUsage,
    example: {
      counted_since: '2026-04-01T00:00:00.000Z',
      days: [
        {
          day: '2026-05-03',
          tokens: 12,
          requests: [{ name: 'access-rights', count: 340 }],
          refusals: [
            {
              endpoint: 'access-rights',
              reason: 'token-expired',
              count: 3,
              last_at: '2026-05-03T16:04:31.000Z',
              last_request_id: '5f0c2a1e00000038',
              explanation: 'https://auth.example/problems/token-expired',
            },
          ],
          limits: [{ name: 'activation', count: 1 }],
        },
      ],
    } satisfies AddonUsage,
  },
  rows: {
    of: 'days',
    none: texts.none.usage,
    columns: texts.parts.usage,
  },
  run: (services, addonId, { days }) => ownOf(services).usage(addonId, days),
});

const listRefusals = own({
  name: 'list-refusals',
  ...texts['list-refusals'],
  path: 'refusals',
  words: 'refusals',
  input: pageFields,
  answers: {
    name: 'AddonRefusals',
    said: 'One page of them, the newest first.',
    shape: addonRefusals,
    example: { items: [refusalExample], next: null },
  },
  rows: {
    of: 'items',
    none: texts.none.refusals,
    columns: english.tasks.addon.parts.refusals,
  },
  run: (services, addonId, { after = null, limit }) => refusalsOf(services, addonId, { after, limit }),
});

/** What members of a publisher see and do with its add-ons (AP-10): by API, command line and page. */
export const ownAddons = entity({
  name: 'addon',
  noun: texts.noun,
  texts: 'own-addon',
  plural: 'addons',
  summaries: { list: 'List your add-ons', show: 'Show how an add-on is registered' },
  api: '/publisher/api',
  idKey: 'client_id',
  shape: addons.shape,
  example: addons.example,
  filters: none,
  columns: addons.columns,
  show: async (services, addonId) => {
    const addon = await ownAddon(services, addonId);
    return addon && presentAddonItem(addon);
  },
  list,
  isId: isUlid,
  find: () => Promise.resolve([]),
  stream: addonStream,
  tasks: [
    listOrganizations,
    listSecrets,
    addSecret,
    removeSecret,
    listChanges,
    propose,
    withdraw,
    showSignals,
    testSignals,
    replaySignals,
    showUsage,
    listRefusals,
  ],
});
