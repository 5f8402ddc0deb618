import type { Instant } from './decision.ts';

export const accessRightStatuses = ['active', 'suspended', 'revoked'] as const;
export type AccessRightStatus = (typeof accessRightStatuses)[number];

/** What a profile may open, and when. `validUntil` null means without end. Times are RFC 3339 UTC. */
export type AccessRight = {
  readonly profileId: string;
  readonly opens: string;
  readonly validFrom: string;
  readonly validUntil: string | null;
  readonly status: AccessRightStatus;
  /** The reservation it comes from, if any. */
  readonly reservationId: string | null;
};

export type AccessRightEvent =
  | {
      readonly type: 'AccessRightRecorded';
      readonly data: AccessRight & {
        readonly organizationId: string;
        readonly id: string;
        readonly version: number;
        readonly at: Instant;
      };
    }
  | {
      readonly type: 'AccessRightRemoved';
      readonly data: {
        readonly organizationId: string;
        readonly id: string;
        readonly version: number;
        readonly at: Instant;
      };
    };
