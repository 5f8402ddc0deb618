import type { ListName } from '../write/operations.ts';

export type ListKind = 'organization' | 'user';
/** `start`: a page that begins within the first block, so that blocks need not be searched. */
export type ListWay = 'start' | 'page' | 'after' | 'before';

/** A digest: it reveals no position. `changes`: SQL for the list's organizations and their last change; ids have no spaces. */
export const versionOf = (list: ListName, kind: ListKind, changes: string): string =>
  `substr(encode(sha256(convert_to('${list} ${kind} ' || $2::text || ${changes}, 'utf8')), 'hex'), 1, 32)`;

/** The items stay the stored text: splitting them into columns would cost more than all the rest. */
export const asArrays = `json_agg(item) as items, json_agg(created_at) as created, json_agg(ordinal) as ordinals`;
