import type { Instant } from './decision.ts';

/** What the log was at a moment, signed: kept outside, it shows whether the log was cut or rewritten since. */
export type LogHeadEvent = {
  readonly type: 'LogHeadSigned';
  readonly data: {
    /** Leaves of the tree over the whole log (RFC 9162 §2.1): every event before, but the event store's own. */
    readonly size: number;
    /** Merkle Tree Hash, hexadecimal. */
    readonly root: string;
    /** Of the last of them, as commit/prepare. */
    readonly position: string;
    /** Of the head before; 0 for the first. */
    readonly previousSize: number;
    /** That the tree of that head is the beginning of this one (RFC 9162 §2.1.4), hexadecimal. */
    readonly proof: readonly string[];
    /** Compact JWS over all of this. */
    readonly jws: string;
    readonly at: Instant;
  };
};
