import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

export type Connection = {
  readonly socket: Socket;
  /** When it was opened or last became idle, in milliseconds of a monotonic clock. */
  since: number;
  /** Requests without a complete answer, in the order in which they came; only the first one is processed. */
  readonly pending: Exchange[];
  /** The newest request, answered or not. */
  last: Exchange | null;
  /** Set when the client broke the protocol: sends the refusal, once all earlier complete requests are answered. */
  refuse: (() => void) | null;
  isEnding: boolean;
};

/** The connections of one address; a trusted proxy carries those of many clients. */
export type AddressGroup = { readonly isProxy: boolean; readonly connections: Set<Connection> };
