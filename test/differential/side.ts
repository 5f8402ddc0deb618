import type { Wire } from './wire.ts';

/** One of the two servers that are compared. */
export type Side = {
  readonly name: 'ours' | 'theirs';
  readonly issuer: string;
  readonly wire: Wire;
  /** Lets the server's clock run ahead. */
  advance(milliseconds: number): Promise<void>;
  close(): Promise<void>;
};
