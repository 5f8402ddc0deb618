import { accessRight } from './access-right.ts';
import { profile } from './profile.ts';
import { reservation } from './reservation.ts';

/** The kinds of records of the host platform; imports, lists, documents and all else are derived from these. */
export const recordResources = [profile, reservation, accessRight] as const;

export type RecordResource = (typeof recordResources)[number];
