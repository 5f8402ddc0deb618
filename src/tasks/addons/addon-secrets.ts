import { z } from 'zod';
import { text } from '../fields.ts';
import { refusing } from '../outcomes.ts';
import { pageOf, task, type Part, type PartItem } from '../task.ts';
import { idOf } from '../answer-fields.ts';
import { english } from '../../common/words.ts';

const { fields, addon: texts } = english.tasks;

/** Rotation with an overlap (AD-02): add a secret, pass it to the add-on's provider, remove the old one. */
export const addSecret = task({
  name: 'add-secret',
  ...texts['add-secret'],
  at: { method: 'POST', path: 'secrets' },
  command: { words: 'addon secret add' },
  isCreating: true,
  input: z.object({}),
  answers: {
    shape: z.object({ client_id: idOf('addon'), secret_id: z.string(), client_secret: z.string() }),
    example: {
      client_id: '01JD2C4Q6S8V0X2Z4B6D8F0H2K',
      secret_id: '01JD2C4Q6S8V0X2Z4B6D8F0H3M',
      client_secret: 'mkt_cs_…',
    },
  },
  run: async ({ commands }, addonId, _input, context) => {
    const outcome = await commands.addAddonSecret(addonId, context);
    if (!outcome.ok) return refused(outcome.refusal);
    const { secretId, clientSecret } = outcome.value;
    return {
      ok: true,
      text: `Added the secret ${secretId}; a running service accepts it within 5 seconds.\nThe client_secret, shown only now: ${clientSecret}`,
      position: null,
      json: { client_id: addonId, secret_id: secretId, client_secret: clientSecret },
    };
  },
});

/** Without any an add-on that was registered as confidential could do nothing. */
export const notTheLast: PartItem = {
  part: 'secrets',
  fields: { secret: 'secret_id' },
  isPossible: (_secret, all) => all.length > 1,
};

export const removeSecret = task({
  name: 'remove-secret',
  ...texts['remove-secret'],
  at: { method: 'DELETE', path: 'secrets/{secret}' },
  command: { words: 'addon secret remove' },
  argument: 'secret',
  of: notTheLast,
  ends: [],
  input: z.object({
    secret: text(fields.secret),
  }),
  answers: {
    shape: z.object({ client_id: idOf('addon'), secret_id: z.string(), removed: z.literal(true) }),
    example: {
      client_id: '01JD2C4Q6S8V0X2Z4B6D8F0H2K',
      secret_id: '01JD2C4Q6S8V0X2Z4B6D8F0H3M',
      removed: true,
    },
  },
  run: async ({ commands }, addonId, { secret: secretId }, context) => {
    const outcome = await commands.removeAddonSecret({ addonId, secretId }, context);
    if (!outcome.ok) return refused(outcome.refusal);
    return {
      ok: true,
      text: `Removed the secret ${secretId}; a running service refuses it within 5 seconds.`,
      position: null,
      json: { client_id: addonId, secret_id: secretId, removed: true },
    };
  },
});

export const secrets: Part = {
  name: 'secrets',
  summary: 'List the valid secrets, without their values',
  item: z.object({ secret_id: z.string(), added_at: z.string().meta({ format: 'date-time' }) }),
  example: { secret_id: '01JD2C4Q6S8V0X2Z4B6D8F0H3M', added_at: '2026-03-02T08:15:00.000Z' },
  columns: texts.parts.secrets,
  command: { words: 'addon secret list', prints: 'secrets' },
  list: async ({ commands }, addonId, page) =>
    pageOf(
      ((await commands.listAddonSecrets(addonId)) ?? []).map(({ secretId, addedAt }) => ({
        secret_id: secretId,
        added_at: new Date(addedAt).toISOString(),
      })),
      ({ secret_id: id }) => id,
      page,
    ),
};

const messages = {
  'addon-unknown': 'no add-on has this client_id',
  'addon-retired': 'the add-on was retired',
  'addon-public': 'the add-on is public: only one that was registered as confidential has secrets',
  'too-many-secrets': 'the add-on has the maximum number of secrets; remove one first',
  'secret-unknown': 'the add-on has no such secret',
  'last-secret': 'it is the last secret of the add-on; add another one first',
};

const refused = refusing(messages);
