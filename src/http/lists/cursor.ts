import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import type { ListPosition } from '../../projections/read-models.ts';

/**
 * Version of the list order on which cursors rely. Raise it when ordinals of records are assigned differently, or when
 * the layout below changes: cursors of another one are ignored, and the page number of their link counts.
 */
export const numbering = 1;

/** Where a link continues reading. It grants nothing: the token decides who may read. */
export type Cursor = {
  /** The page of the link's address; when somebody edits that address, the cursor no longer applies. */
  readonly page: number;
  readonly perPage: number;
  readonly list: bigint;
  readonly direction: 'after' | 'before';
  readonly position: ListPosition;
  /** Log position at which the walk ends. */
  readonly bound: bigint;
  /** What belongs to the walk as a whole. */
  readonly sync: CursorSync;
};

/** The token of a walk's first page. Among changes, `position` is that of the place, and `state` the number of changes. */
export type CursorSync = {
  readonly position: bigint;
  readonly state: bigint;
  /** Since the Unix epoch. */
  readonly minutes: number;
};

export type CursorKey = { readonly id: string; readonly key: Uint8Array };

export type DecryptedCursor =
  | { readonly kind: 'ours'; readonly cursor: Cursor }
  /** Of another numbering, or of a key that is no longer known: it may have been valid once. */
  | { readonly kind: 'outdated' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'forged' };

export type Cursors = {
  /** The same cursor gives the same text as long as the first key stays the same. */
  encrypt(cursor: Cursor): string;
  decrypt(text: string): DecryptedCursor;
};

const tagLength = 16;
/** In characters: twice the length with ids of our own. */
export const longestCursor = 512;
/** In bytes: page, items a page, list, direction, ordinal, bound, those of `sync`; the organization's id follows. */
const fixedLength = 4 + 1 + 8 + 1 + 8 + 8 + (8 + 8 + 4);

/**
 * Numbering, key id and its length, encrypted contents, tag: an HMAC-SHA256, cut to 16 bytes, of the clear part and contents,
 * which is the IV, too (RFC 5297). Positions are internal. `keys`: the first encrypts, all are accepted.
 */
export const makeCursors = (keys: readonly [CursorKey, ...CursorKey[]]): Cursors => {
  const ciphers = new Map(keys.map(({ id, key }) => [id, cipherOf(id, key)]));
  const newest = cipherOf(keys[0].id, keys[0].key);
  return {
    encrypt: (cursor) => newest.close(contentsOf(cursor)).toString('base64url'),
    decrypt: (text) => {
      const bytes = bytesOf(text);
      const keyLength = bytes?.[1] ?? 0;
      const headLength = 2 + keyLength;
      if (!bytes || keyLength === 0 || bytes.length < headLength + fixedLength + tagLength)
        return { kind: 'malformed' };
      const cipher = ciphers.get(bytes.toString('latin1', 2, headLength));
      if (!cipher) return { kind: 'outdated' };
      const contents = cipher.open(bytes);
      if (!contents) return { kind: 'forged' };
      if (bytes[0] !== numbering) return { kind: 'outdated' };
      return { kind: 'ours', cursor: cursorIn(contents) };
    },
  };
};

const cipherOf = (id: string, key: Uint8Array) => {
  const keyFor = (use: string) => createHmac('sha256', key).update(use).digest();
  const [macKey, cipherKey] = [keyFor('cursor mac'), keyFor('cursor cipher')];
  const head = Buffer.concat([Buffer.from([numbering, id.length]), Buffer.from(id, 'latin1')]);
  const macOf = (clear: Uint8Array, contents: Uint8Array) =>
    createHmac('sha256', macKey).update(clear).update(contents).digest().subarray(0, tagLength);
  return {
    close: (contents: Buffer): Buffer => {
      const mac = macOf(head, contents);
      return Buffer.concat([head, createCipheriv(cipher, cipherKey, mac).update(contents), mac]);
    },
    open: (bytes: Buffer): Buffer | null => {
      const clear = bytes.subarray(0, head.length);
      const sent = bytes.subarray(-tagLength);
      const hidden = bytes.subarray(head.length, -tagLength);
      const contents = createDecipheriv(cipher, cipherKey, sent).update(hidden);
      return timingSafeEqual(macOf(clear, contents), sent) ? contents : null;
    },
  };
};

const cipher = 'aes-256-ctr';

const contentsOf = ({ page, perPage, list, direction, position, bound, sync }: Cursor): Buffer => {
  const fixed = Buffer.alloc(fixedLength);
  let at = fixed.writeUInt32BE(page);
  at = fixed.writeUInt8(perPage, at);
  at = fixed.writeBigUInt64BE(list, at);
  at = fixed.writeUInt8(direction === 'after' ? 1 : 0, at);
  at = fixed.writeBigInt64BE(BigInt(position.ordinal), at);
  at = fixed.writeBigUInt64BE(bound, at);
  at = fixed.writeBigUInt64BE(sync.position, at);
  at = fixed.writeBigUInt64BE(sync.state, at);
  fixed.writeUInt32BE(sync.minutes, at);
  return Buffer.concat([fixed, Buffer.from(position.organizationId)]);
};

/** Only for bytes whose tag was verified. */
const cursorIn = (contents: Buffer): Cursor => ({
  page: contents.readUInt32BE(0),
  perPage: contents.readUInt8(4),
  list: contents.readBigUInt64BE(5),
  direction: contents.readUInt8(13) === 1 ? 'after' : 'before',
  position: {
    ordinal: Number(contents.readBigInt64BE(14)),
    organizationId: contents.toString('utf8', fixedLength),
  },
  bound: contents.readBigUInt64BE(22),
  sync: {
    position: contents.readBigUInt64BE(30),
    state: contents.readBigUInt64BE(38),
    minutes: contents.readUInt32BE(46),
  },
});

/** Strict base64url: another spelling of the same bytes is not ours. */
const bytesOf = (text: string): Buffer | null => {
  if (text.length > longestCursor) return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
};
