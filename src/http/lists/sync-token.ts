import { hash } from 'node:crypto';
import type { Guarded } from '../../domain/fence/fence.ts';
import type { ChangesOrigin } from '../../projections/read-models.ts';
import type { Cursor, Cursors, CursorSync } from './cursor.ts';

/** From where the changes of a list go on. Like a cursor, it grants nothing, and is encrypted. */
export type SyncToken = ChangesOrigin & {
  /** From `bindingOf`. */
  readonly binding: bigint;
  readonly text: string;
};

/** A number for the list, whose it is, and the add-on's present activation or approval: its token is refused anywhere else. */
export const bindingOf = (address: string, { addonId, subject }: Guarded): bigint => {
  const owner = subject.kind === 'organization' ? subject.organizationId : subject.userId;
  const bound = JSON.stringify(['sync', address, subject.kind, owner, subject.epoch, addonId]);
  return Buffer.from(hash('sha256', bound, 'hex'), 'hex').readBigUInt64BE();
};

export const encryptSyncToken = (
  cursors: Pick<Cursors, 'encrypt'>,
  { binding, place, state, issuedAt }: Omit<SyncToken, 'text'>,
): string => {
  const { position, ...rest } = place;
  const sync: CursorSync = { position, state, minutes: Math.floor(issuedAt / MINUTE) };
  return cursors.encrypt({ ...never, list: binding, position: rest, sync });
};

/** Within one, the same state of a list has the same token. */
const MINUTE = 60_000;

/** As a cursor it would be for a page that nobody can ask for. */
const never = { page: 0, perPage: 0, direction: 'after', bound: 0n } as const;

/** Null for what is a cursor of a link. */
export const syncTokenOf = (text: string, { page, list, position, sync }: Cursor): SyncToken | null =>
  page !== never.page
    ? null
    : {
        text,
        binding: list,
        place: { ...position, position: sync.position },
        state: sync.state,
        issuedAt: sync.minutes * MINUTE,
      };

/** The token of a walk, as its links hand it on: to another activation or approval, one that has expired. */
export const syncOf = ({ place, state, issuedAt }: ChangesOrigin, binding: bigint): CursorSync => ({
  position: place.position,
  state: state ^ binding,
  minutes: Math.floor(issuedAt / MINUTE),
});

/** The same from a link. */
export const originIn = ({ position, state, minutes }: CursorSync, binding: bigint): ChangesOrigin => ({
  place: { position, organizationId: '', ordinal: -1 },
  state: state ^ binding,
  issuedAt: minutes * MINUTE,
});
