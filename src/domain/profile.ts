import type { Instant } from './decision.ts';

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
