import { accessRight } from './access-right.ts';
import { profile } from './profile.ts';
import { reservation } from './reservation.ts';

/**
 * The kinds of records that the host platform sends. Only this list and their descriptions name them: import, ingest,
 * commands, lists, documents, exposure, export and rebuild are derived from it.
 */
export const recordResources = [profile, reservation, accessRight] as const;

export type RecordResource = (typeof recordResources)[number];
