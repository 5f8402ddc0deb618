import type { Once } from './once.ts';
import type { StreamName } from '../../domain/streams.ts';
import type { ExpectedRevision } from '../../eventstore/event-store.ts';

/** The context of a call: the metadata of every event that the command appends says it. */
export type CommandContext = {
  /** Trace and span: the header `traceparent` of W3C Trace Context, version 00. */
  readonly traceparent: string;
  /** The operator who called over HTTP, for events that would say `break-glass` or nobody; the command line's store adds its own. */
  readonly acting?: Acting;
  /** Why, as the operator typed it, for the audit log. */
  readonly reason?: string;
  /** What a request that is made once draws its ids and secrets from. */
  readonly once?: Once;
  /** The revision of a stream on which the caller decided: another one is refused with ChangedMeanwhile. */
  readonly unchangedSince?: { readonly stream: StreamName; readonly revision: ExpectedRevision };
  /** Of a call that is completed after its process was killed: the newest revision of each of its streams when it began; null: there was none. */
  readonly completing?: Readonly<Record<string, string | null>>;
};

/** The actor as events record it: a user id or `break-glass`, and the administrator token that was used. */
export type Acting = { readonly actor: string; readonly tokenId: string | null };
