import type { Decision, Instant } from './decision.ts';
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
    };

export const profileDecider = recordDecider<Profile, ProfileEvent>((event) => {
  switch (event.type) {
    case 'ProfileRecorded':
      return profileFields(event.data);
    case 'ProfileRemoved':
      return null;
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

/** The fields alone, without what an event or a caller keeps beside them. */
const profileFields = ({ name, email, userId, phone, locale, externalId }: Profile): Profile => ({
  name,
  email,
  userId,
  phone,
  locale,
  externalId,
});
