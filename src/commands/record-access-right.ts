import { accessRightDecider, recordAccessRight } from '../domain/access-right.ts';
import { accessRightStream } from '../domain/streams.ts';
import { makeRecord, type RecordNeeds } from './record.ts';

/** Records or removes an access right of the host platform (LI-08). */
export const makeRecordAccessRight = (needs: RecordNeeds) =>
  makeRecord(needs, {
    streamOf: accessRightStream,
    decider: accessRightDecider,
    decide: recordAccessRight,
    find: needs.knownRecords?.accessRights,
  });
