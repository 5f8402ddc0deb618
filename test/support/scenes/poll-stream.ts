import { supportedTypes } from '../../../src/signals/set-types.ts';
import type { StreamRow } from '../../../src/signals/stream-table.ts';

/** A stream that an add-on polls, enabled, of every event, as the worker of signals keeps it. */
export const pollStream = (addonId: string, streamId: string, issuer: string): StreamRow => ({
  streamId,
  addonId,
  method: 'poll',
  endpointUrl: null,
  authorizationHeader: null,
  status: 'enabled',
  reason: null,
  eventsRequested: supportedTypes(issuer),
});

/** What creates a stream that is polled, of no event yet. */
export const pollConfiguration = {
  method: 'poll',
  endpointUrl: null,
  authorization: null,
  eventsRequested: [],
  description: null,
} as const;
