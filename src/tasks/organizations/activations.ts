import { z } from 'zod';
import { positionText } from '../../audit/timeline/position-text.ts';
import { actorOf } from '../actor-of.ts';
import { activationsADay } from '../../domain/organizations/activation.ts';
import { activationStream } from '../../domain/streams.ts';
import { activated, activation, deactivationReceipt, organizationAddon } from './activation-answers.ts';
import { addonFacts } from './addon-facts.ts';
import { presentReceipt } from './deactivation-receipt.ts';
import { reference } from '../fields.ts';
import { timeOrNull } from '../../common/iso-time.ts';
import { refusing } from '../outcomes.ts';
import { presentActivation, presentAddon } from './present-activation.ts';
import { pageOf, task, type At, type Json, type Part } from '../task.ts';
import { organizationNow } from '../../eventstore/state-of.ts';
import { idOf, shown } from '../answer-fields.ts';
import { english } from '../../common/words.ts';

const { organization: texts } = english.tasks;

const input = z.object({
  addon: reference(texts.fields.addon, 'addon'),
});

const at = (method: At['method']): At => ({ method, path: 'addons/{addon}/activation' });
const command = (verb: string) => ({ words: `activation ${verb}`, idOptions: ['organization'] });
const stream = (organizationId: string, { addon }: Json) => activationStream(organizationId, String(addon));

export const activate = task({
  name: 'activate-addon',
  ...texts['activate-addon'],
  at: at('PUT'),
  command: command('activate'),
  among: {
    addon: async ({ readModels }, organizationId) =>
      (await readModels.addonsOf(organizationId))
        .filter(
          ({ status, suspended, retired, configurationUrl }) =>
            status !== 'active' && !suspended && !retired && configurationUrl !== null,
        )
        .map(({ addonId }) => addonId),
  },
  input,
  answers: {
    shape: activated,
    example: {
      organization_id: '01JD1A3C5E7G9J1M3P5R7T9W1Y',
      client_id: '01JD2C4Q6S8V0X2Z4B6D8F0H2K',
      status: 'active',
      epoch: 1,
      configuration_url: 'https://doors.example/configure',
      position: '8120/8120',
    },
  },
  stream,
  run: async ({ commands }, organizationId, { addon: addonId }, context) => {
    const who = { ...actorOf(context), asOperator: true, sessionId: null };
    const outcome = await commands.activateAddon({ organizationId, addonId, ...who }, context);
    if (!outcome.ok) return refused(outcome.refusal);
    const { epoch, configurationUrl, position } = outcome.value;
    return {
      ok: true,
      text: `Active, epoch ${epoch}. Next, an administrator opens ${configurationUrl}`,
      position,
      json: {
        organization_id: organizationId,
        client_id: addonId,
        status: 'active',
        epoch,
        configuration_url: configurationUrl,
        position: positionText(position),
      },
    };
  },
});

/** In milliseconds. An unavailable database must not delay an urgent deactivation for longer. */
const countPatienceMs = 1000;

const deactivated = {
  organization_id: '01JD1A3C5E7G9J1M3P5R7T9W1Y',
  client_id: '01JD2C4Q6S8V0X2Z4B6D8F0H2K',
  status: 'deactivated',
  epoch: 1,
  position: '8231/8231',
  fenced_at: '2026-05-04T10:00:00.250Z',
  live_grants: 3,
  unredeemed_codes: 0,
  approvers: 2,
} as const;

export const deactivate = task({
  name: 'deactivate-addon',
  ...texts['deactivate-addon'],
  at: at('DELETE'),
  command: command('deactivate'),
  of: {
    part: 'addons',
    fields: { addon: 'client_id' },
    isPossible: ({ status }) => status === 'active',
  },
  ends: [],
  input,
  answers: {
    shape: deactivationReceipt,
    example: deactivated,
  },
  stream,
  run: async ({ commands, readModels }, organizationId, { addon: addonId }, context) => {
    const liveGrants = readModels.beginCount(organizationId, addonId);
    const outcome = await commands.deactivateAddon({ organizationId, addonId, ...actorOf(context) }, context);
    if (!outcome.ok) return refused(outcome.refusal);
    const { epoch, position, repeated } = outcome.value;
    const counted = repeated ? null : await liveGrants(epoch, countPatienceMs);
    const json = presentReceipt(outcome.value, counted);
    const ended = counted
      ? ` It ended (as known at that time): ${amount(counted.liveGrants, 'grant')}, approved by ${amount(counted.approvers, 'person', 'people')}; ${amount(counted.unredeemedCodes, 'code')} never exchanged.`
      : '';
    const text = `Deactivated. Every code and token of epoch ${epoch} is refused since ${json.fenced_at} at the latest (event ${json.position}).${ended}`;
    return { ok: true, text, position, json };
  },
});

const amount = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;

const example = {
  client_id: '01JD2C4Q6S8V0X2Z4B6D8F0H2K',
  name: 'Door Opener',
  status: 'active',
  epoch: 1,
  suspended: false,
  retired: false,
  configuration_url: 'https://doors.example/configure',
  allowed_scopes: ['access-rights:read'],
  activated_by: '01JD0Z9X7V5T3R1P9N7L5K3J1H',
  activated_at: '2026-04-20T07:15:00.000Z',
  deactivated_by: null,
  deactivated_at: null,
  revocation: null,
  live_grants: 1,
  unredeemed_codes: 0,
  approvers: 1,
  scopes: ['access-rights:read'],
  last_token_at: '2026-05-03T16:04:31.000Z',
} satisfies z.infer<typeof organizationAddon>;

/** The same facts as an administrator sees: from the log, with counts from the read models. */
export const showActivation = task({
  name: 'show-activation',
  ...texts['show-activation'],
  effect: '',
  isRead: true,
  at: at('GET'),
  command: command('show'),
  input,
  answers: {
    shape: activation,
    example: { organization_id: '01JD1A3C5E7G9J1M3P5R7T9W1Y', ...example, approvals: [] },
  },
  stream,
  run: async (services, organizationId, { addon: addonId }) => {
    const facts = await addonFacts(services, { organizationId, addonId });
    if (facts === null) return refused('addon-unknown');
    const { status } = await organizationNow(services.store, organizationId);
    if (status !== 'created') return refused('organization-unknown');
    return { ok: true, text: '', position: null, json: presentActivation(organizationId, facts) };
  },
});

const messages = {
  'addon-unknown': 'add-on not found',
  'organization-unknown': 'organization not found',
  'organization-closed': 'the organization is closed, so no add-on can be activated for it',
  'configuration-url-missing':
    'the add-on was registered without a configuration URL, so it cannot be activated for an organization',
  'not-an-administrator': 'whoever acts does not administer the organization',
  'addon-suspended': 'the add-on is suspended; resume it first',
  'addon-retired': 'the add-on was retired',
  'never-activated': 'the add-on was never active for this organization',
  'activated-too-often': `it was activated ${activationsADay} times within 24 hours; try again later`,
};

const refused = refusing(messages);

/** Every add-on, by name, with its activation. */
export const addonsOfOrganization: Part = {
  name: 'addons',
  summary: 'List the add-ons, with their activation for the organization',
  item: organizationAddon,
  example,
  columns: texts.parts.addons,
  list: async ({ readModels }, organizationId, page) =>
    pageOf((await readModels.addonsOf(organizationId)).map(presentAddon), ({ client_id: id }) => id, page),
};

const receipt = z.object({
  ...deactivationReceipt.shape,
  fenced_at: deactivationReceipt.shape.fenced_at
    .nullable()
    .describe(
      'Since this instant at the latest, all tokens of the epoch are refused; `null` until its revocation is complete.',
    ),
  deactivated_at: shown(z.string(), { from: 'm' }).meta({ format: 'date-time' }),
  deactivated_by: idOf('user', 'm'),
  revoked_grants: z
    .int()
    .nullable()
    .describe('How many grants were revoked that had not expired; `null` until that is complete.'),
});

/** What each deactivation has ended, oldest first, from the log. */
export const receipts: Part = {
  name: 'receipts',
  summary: 'List the receipts of deactivations, oldest first',
  item: receipt,
  example: {
    ...deactivated,
    live_grants: null,
    unredeemed_codes: null,
    approvers: null,
    deactivated_at: '2026-05-04T10:00:00.000Z',
    deactivated_by: '01JD0Z9X7V5T3R1P9N7L5K3J1H',
    revoked_grants: 3,
  } satisfies z.infer<typeof receipt>,
  columns: texts.parts.receipts,
  list: async ({ commands, readModels }, organizationId, page) => {
    const ids = await readModels.addonsActivatedFor(organizationId);
    const histories = await Promise.all(
      ids.map(async (addonId) => ({
        addonId,
        history: (await commands.showActivation(organizationId, addonId)).history,
      })),
    );
    const all = histories
      .flatMap(({ addonId, history }) => history.map((epoch) => ({ addonId, ...epoch })))
      .flatMap(({ addonId, epoch, deactivated, revokedGrants, revokedAt }) =>
        deactivated ? [{ addonId, epoch, ...deactivated, revokedGrants, revokedAt }] : [],
      )
      .toSorted((one, other) => (one.position.commit < other.position.commit ? -1 : 1));
    return pageOf(
      all.map(({ addonId, epoch, by, at: time, position, revokedGrants, revokedAt }) => ({
        ...presentReceipt({ organizationId, addonId, epoch, position, fencedAt: revokedAt ?? 0 }, null),
        fenced_at: timeOrNull(revokedAt),
        deactivated_at: new Date(time).toISOString(),
        deactivated_by: by,
        revoked_grants: revokedGrants,
      })),
      ({ position }) => position,
      page,
    );
  },
};
