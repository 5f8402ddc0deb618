import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** One client connection, and the answers that it still waits for. */
export type Connection = {
  readonly socket: Socket;
  /** When it was opened or became idle last, in milliseconds of any clock. */
  since: number;
  /** Requests without a complete answer, in the order in which they came; only the first one is being worked on. */
  readonly pending: Exchange[];
  /** The newest request, answered or not. */
  last: Exchange | null;
  /** It broke the protocol: how it is refused, once the complete requests before that are answered. */
  refuse: (() => void) | null;
  /** No further request is taken from it. */
  isEnding: boolean;
};

/** The connections of one address; a trusted proxy carries those of many clients. */
export type AddressGroup = { readonly isProxy: boolean; readonly connections: Set<Connection> };
