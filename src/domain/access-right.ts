import type { Decision, Instant } from './decision.ts';
import {
  decideRecord,
  type RecordCommand,
  recordDecider,
  type RecordRefusal,
  type RecordState,
} from './record.ts';

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

export const accessRightDecider = recordDecider<AccessRight, AccessRightEvent>((event) => {
  switch (event.type) {
    case 'AccessRightRecorded':
      return accessRightFields(event.data);
    case 'AccessRightRemoved':
      return null;
  }
});

/** Records what the host platform says about one access right, or removes it (LI-08). */
export const recordAccessRight = (
  known: RecordState<AccessRight>,
  command: RecordCommand<AccessRight>,
): Decision<AccessRightEvent, RecordRefusal> =>
  decideRecord(known, command, (record, key): AccessRightEvent =>
    record === null
      ? { type: 'AccessRightRemoved', data: key }
      : { type: 'AccessRightRecorded', data: { ...accessRightFields(record), ...key } },
  );

/** The fields alone, without what an event or a caller keeps beside them. */
const accessRightFields = ({
  profileId,
  opens,
  validFrom,
  validUntil,
  status,
  reservationId,
}: AccessRight): AccessRight => ({ profileId, opens, validFrom, validUntil, status, reservationId });
