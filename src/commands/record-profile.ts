import { profileDecider, recordProfile } from '../domain/profile.ts';
import { profileStream } from '../domain/streams.ts';
import { makeRecord, type RecordNeeds } from './record.ts';

/** Records or removes a profile of the host platform (LI-08). */
export const makeRecordProfile = (needs: RecordNeeds) =>
  makeRecord(needs, {
    streamOf: profileStream,
    decider: profileDecider,
    decide: recordProfile,
    find: needs.knownRecords?.profiles,
  });
