import { z } from 'zod';
import { personalFieldsOf } from '../../domain/events.ts';
import { recordId } from '../../domain/kernel/ids.ts';
import { accountStream, administratorTokensStream, profileStream } from '../../domain/streams.ts';
import { override, record } from '../fields.ts';
import { task, type Services } from '../task.ts';
import { aboutUser, idOf } from '../answer-fields.ts';
import { english } from '../../common/words.ts';

const { fields, user: texts } = english.tasks;

const erased = {
  erased: z.literal(true),
  repeated: z.boolean(),
};

export const eraseUser = task({
  name: 'erase',
  ...texts.erase,
  isFinal: true,
  isConfirmed: 'always',
  isUseful: ({ erased: isErased }) => isErased !== true,
  input: z.object({
    force: override(texts.fields.force, ['own-account', 'last-operator']).optional(),
  }),
  answers: {
    shape: z.object({
      user_id: aboutUser(),
      ...erased,
      remains: z.object({
        profiles: z.array(z.object({ organization_id: z.string(), id: z.string() })),
        events_in_clear: z.int(),
        email_claim: z.boolean(),
      }),
    }),
    example: {
      user_id: '01JD0Z9X7V5T3R1P9N7L5K3J1H',
      erased: true,
      repeated: false,
      remains: { profiles: [], events_in_clear: 0, email_claim: false },
    },
  },
  run: async (services, id, { force = false }, context) => {
    if (context.acting?.actor === id && !force)
      return {
        ok: false,
        refusal: 'own-account',
        message: 'this is the account that you are acting with; to erase it all the same, use force',
      };
    const outcome = await services.commands.eraseUser({ userId: id, force }, context);
    if (!outcome.ok)
      return {
        ok: false,
        refusal: outcome.refusal,
        message:
          outcome.refusal === 'user-unknown'
            ? `no account has the user_id ${id}`
            : `${id} is the last operator who may sign in; to erase the account all the same, use force`,
      };
    const { position, repeated, addressKnown } = outcome.value;
    if (position !== null) await services.settle(position);
    const profiles = await services.readModels.profilesOfUser(id);
    const inClear = await clearEvents(services, [accountStream(id), administratorTokensStream(id)]);
    const text = [
      `Erased: the personal data of ${id} can no longer be read, sign-in is impossible, and the e-mail address is free.`,
      ...clearText(inClear),
      ...(addressKnown
        ? []
        : [
            'The key was lost before: the reservation of the e-mail address could not be found, so it remains.',
          ]),
      ...profiles.map(
        (profile) =>
          `Not erased: profile ${profile.id} of ${profile.organizationId}, which refers to the account. To erase it, too: grantbook profile erase`,
      ),
    ].join('\n');
    const remains = {
      profiles: profiles.map((profile) => ({ organization_id: profile.organizationId, id: profile.id })),
      events_in_clear: inClear,
      email_claim: !addressKnown,
    };
    return { ok: true, text, position, json: { user_id: id, erased: true, repeated, remains } };
  },
});

export const eraseProfile = task({
  name: 'erase-profile',
  ...english.tasks.organization['erase-profile'],
  isFinal: true,
  isConfirmed: 'always',
  command: { words: 'profile erase', idOptions: ['organization'] },
  argument: 'id',
  input: z.object({
    id: record(fields.id),
  }),
  answers: {
    shape: z.object({
      organization_id: idOf('organization'),
      id: z.string(),
      ...erased,
      remains: z.object({ events_in_clear: z.int() }),
    }),
    example: {
      organization_id: '01JD1A3C5E7G9J1M3P5R7T9W1Y',
      id: 'p1',
      erased: true,
      repeated: false,
      remains: { events_in_clear: 0 },
    },
  },
  run: async (services, organizationId, { id }, context) => {
    const outcome = await services.commands.eraseProfile({ organizationId, id }, context);
    if (!outcome.ok)
      return {
        ok: false,
        refusal: outcome.refusal,
        message: `the organization has no profile ${id}; an id is ${recordId.allowed}, in the same upper and lower case`,
      };
    const { position, repeated } = outcome.value;
    const inClear = await clearEvents(services, [profileStream(organizationId, id)]);
    return {
      ok: true,
      text: [
        `Erased: the personal data of ${id} can no longer be read; newer versions are refused.`,
        ...clearText(inClear),
      ].join('\n'),
      position,
      json: {
        organization_id: organizationId,
        id,
        erased: true,
        repeated,
        remains: { events_in_clear: inClear },
      },
    };
  },
});

const clearText = (count: number): readonly string[] =>
  count === 0 ? [] : [`Not erased: ${count} unencrypted events from before encryption was introduced.`];

/** Events from before encryption: there is no key to destroy. */
const clearEvents = async ({ store }: Services, streams: readonly string[]): Promise<number> => {
  const found = await Promise.all(streams.map((stream) => store.readStored(stream, 0n, 10_000)));
  return found.flat().filter(({ type, data }) => {
    const isSealed = typeof data === 'object' && data !== null && 'personal' in data;
    return personalFieldsOf(type) !== null && !isSealed;
  }).length;
};
