import type { Instant } from '../kernel/decision.ts';

/** The signed state of the log at one moment: kept outside, it shows whether the log was cut or rewritten since. */
export type LogHeadEvent = {
  readonly type: 'LogHeadSigned';
  readonly data: {
    /**
     * Leaves of the tree over the whole log (RFC 9162 §2.1): all events before this one, without the event store's own.
     */
    readonly size: number;
    /** Merkle Tree Hash, hexadecimal. */
    readonly root: string;
    /** Position of the last leaf, as commit/prepare. */
    readonly position: string;
    /** Size of the previous head; 0 for the first. */
    readonly previousSize: number;
    /** Consistency proof that the previous head's tree is the beginning of this one (RFC 9162 §2.1.4), hexadecimal. */
    readonly proof: readonly string[];
    /** Compact JWS over all of this. */
    readonly jws: string;
    readonly at: Instant;
  };
};
