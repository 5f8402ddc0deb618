import {
  accessSubject,
  accountSubject,
  activationSubject,
  addonSubject,
  consentSubject,
  grantSubject,
  type FenceRow,
  type FenceSubject,
} from '../domain/fence.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { writeFenceStatement } from './fence-statement.ts';
import { defineProjection, idOf, idsOf } from './projection.ts';

/**
 * The projector's hand on the fence: the rows that the commands write before they answer, once more from the log. It
 * completes what a command left undone when it died between its append and its write.
 */
export const activationFence = defineProjection<FenceRow[]>({
  name: 'activation-fence',
  neverParks: true,
  empty: () => [],
  on: {
    AddonActivated: (rows, { organizationId, addonId, epoch }, event) => {
      rows.push(row(activationSubject(organizationId, addonId), event, true, epoch));
    },
    AddonDeactivated: (rows, { organizationId, addonId, epoch }, event) => {
      rows.push(row(activationSubject(organizationId, addonId), event, false, epoch));
    },
    AddonSuspended: (rows, _data, event) => {
      rows.push(row(addonSubject(idOf(event)), event, false));
    },
    AddonResumed: (rows, _data, event) => {
      rows.push(row(addonSubject(idOf(event)), event, true));
    },
    GrantRevoked: (rows, _data, event) => {
      rows.push(row(grantSubject(idOf(event)), event, false));
    },
    AccessTokenRevoked: (rows, { rotation }, event) => {
      rows.push(row(accessSubject(idOf(event), rotation), event, false));
    },
    AccountDisabled: (rows, { epoch }, event) => {
      rows.push(row(accountSubject(idOf(event)), event, false, epoch));
    },
    AccountEnabled: (rows, { epoch }, event) => {
      rows.push(row(accountSubject(idOf(event)), event, true, epoch));
    },
    ConsentWithdrawn: (rows, { userId, addonId, epoch }, event) => {
      const [subjectId] = idsOf(event);
      // An organization's integration does not hang on what one administrator approved (AC-03).
      if (subjectId === userId) rows.push(row(consentSubject(userId, addonId), event, true, epoch));
    },
  },
  async write(tx, rows) {
    if (rows.length > 0) await tx.query(writeFenceStatement(rows));
  },
});

const row = (subject: FenceSubject, { revision }: RecordedEvent, open: boolean, epoch = 0): FenceRow => ({
  subject,
  revision,
  epoch,
  open,
});
