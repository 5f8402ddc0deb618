import { accept, type Decision, type Instant, refuse } from './decision.ts';
import {
  decideRecord,
  type RecordCommand,
  recordDecider,
  type RecordRefusal,
  type RecordState,
} from './record.ts';

/** A person known to an organization. `userId` is the account it belongs to, if any. */
export type Profile = {
  readonly name: string;
  readonly email: string;
  readonly userId: string | null;
  readonly phone: string | null;
  readonly locale: string | null;
  /** An id from the host platform's own world (member number, badge), for the add-on's matching. */
  readonly externalId: string | null;
};

/** `version` is the host platform's: it grows with each change of the record. */
export type ProfileEvent =
  | {
      readonly type: 'ProfileRecorded';
      readonly data: Profile & {
        readonly organizationId: string;
        readonly id: string;
        readonly version: number;
        readonly at: Instant;
      };
    }
  | {
      readonly type: 'ProfileRemoved';
      readonly data: {
        readonly organizationId: string;
        readonly id: string;
        readonly version: number;
        readonly at: Instant;
      };
    }
  /** The person is forgotten: the key of what the log holds of them is destroyed. `version` is the newest that was known. */
  | {
      readonly type: 'ProfileErased';
      readonly data: {
        readonly organizationId: string;
        readonly id: string;
        readonly version: number;
        readonly at: Instant;
      };
    };

export const profileDecider = recordDecider<Profile, ProfileEvent>((event) => {
  switch (event.type) {
    case 'ProfileRecorded':
      return profileFields(event.data);
    case 'ProfileRemoved':
      return null;
    case 'ProfileErased':
      return 'erased';
  }
});

/** Records what the host platform says about one profile, or removes it (LI-08). */
export const recordProfile = (
  known: RecordState<Profile>,
  command: RecordCommand<Profile>,
): Decision<ProfileEvent, RecordRefusal> =>
  decideRecord(known, command, (record, key): ProfileEvent =>
    record === null
      ? { type: 'ProfileRemoved', data: key }
      : { type: 'ProfileRecorded', data: { ...profileFields(record), ...key } },
  );

/** Forgets the person, removed or not. Erasing twice changes nothing. */
export const eraseProfile = (
  known: RecordState<Profile>,
  {
    organizationId,
    id,
    now,
  }: { readonly organizationId: string; readonly id: string; readonly now: Instant },
): Decision<ProfileEvent, 'profile-unknown'> => {
  if (known.status === 'never-seen') return refuse('profile-unknown');
  if (known.status === 'erased') return accept();
  return accept({ type: 'ProfileErased', data: { organizationId, id, version: known.version, at: now } });
};

/** The fields alone, without what an event or a caller keeps beside them. */
const profileFields = ({ name, email, userId, phone, locale, externalId }: Profile): Profile => ({
  name,
  email,
  userId,
  phone,
  locale,
  externalId,
});
