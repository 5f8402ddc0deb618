import { accept, type Decision, refuse, type At } from '../kernel/decision.ts';
import type { RecordState } from './record.ts';
import { describeRecord, type RecordEventOf, type RecordOf } from './record-resource.ts';

export const profile = describeRecord({
  name: 'Profile',
  key: 'profiles',
  category: 'profile',
  table: 'profiles',
  path: 'profiles',
  scope: 'profiles:read',
  scopeCode: 2,
  topic: 'host.profiles',
  message: 'profile',
  readsNumber: 2,
  words: {
    one: 'profile',
    many: 'profiles',
    description: 'A person known to an organization.',
  },
  owner: { is: 'user', field: 'userId' },
  fields: {
    name: { kind: 'text', maxLength: 200, personal: true, shown: 'Ada Ahoi' },
    email: {
      kind: 'email',
      personal: true,
      description:
        'An address, or `erased` where the person was erased, as every other field about them; `key lost` where their key is missing.',
      shown: 'ada@harbour.example',
    },
    userId: {
      kind: 'user-id',
      optional: true,
      description: 'The account that the profile belongs to.',
      note: 'of the user whose own lists show it',
    },
    phone: { kind: 'text', maxLength: 40, optional: true, personal: true },
    locale: {
      kind: 'language-tag',
      optional: true,
      personal: true,
      description: 'A language tag (BCP 47).',
      shown: 'de-AT',
    },
    externalId: {
      kind: 'text',
      maxLength: 200,
      optional: true,
      personal: true,
      description: 'An id that the host platform assigns, such as a member number.',
    },
  },
  example: {
    id: 'p1',
    record: {
      name: 'Ada Ahoi',
      email: 'ada@harbour.example',
      userId: null,
      phone: null,
      locale: 'de-AT',
      externalId: 'M-7',
    },
  },
});

export type Profile = RecordOf<typeof profile>;
export type ProfileEvent = RecordEventOf<typeof profile>;

/** Erases the person, removed or not; repeatable. `version` of the event is the newest known one. */
export const eraseProfile = (
  known: RecordState<Profile>,
  { organizationId, id, now }: At<'organizationId' | 'id'>,
): Decision<ProfileEvent, 'profile-unknown'> => {
  if (known.status === 'never-seen') return refuse('profile-unknown');
  if (known.status === 'erased') return accept();
  return accept({ type: 'ProfileErased', data: { organizationId, id, version: known.version, at: now } });
};
