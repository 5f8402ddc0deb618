/** An event as proposed by a client, validated and with its id in lower case. */
export type Proposed = {
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/** An event as stored in the log. */
export type Stored = Proposed & {
  readonly stream: string;
  readonly revision: bigint;
  /** Position in the log; commit and prepare are always equal here. */
  readonly position: bigint;
  /** 100-nanosecond ticks since the Unix epoch; never decreasing along the log. */
  readonly created: bigint;
};

/** `$tb` of a soft-deleted stream, and the revision of a tombstone: the largest signed 64-bit number. */
export const endOfTime = 9_223_372_036_854_775_807n;

/** The wire encoding of "no position" and "from the end": the largest unsigned 64-bit number. */
export const noPosition = 18_446_744_073_709_551_615n;

/** Expected revisions below zero, as the server counts them internally and in trailers. */
export const expectNoStream = -1n;
export const expectAny = -2n;
export const expectStreamExists = -4n;

export const metadataPrefix = '$$';
export const isMetadataStream = (stream: string): boolean => stream.startsWith(metadataPrefix);
/** The stream that a metadata stream belongs to; any other stream itself. */
export const baseOf = (stream: string): string =>
  isMetadataStream(stream) ? stream.slice(metadataPrefix.length) : stream;
