import type { SignalStream } from '../../domain/signals/signal-stream.ts';
import { supportedTypes } from '../../signals/set-types.ts';
import {
  pollMethod,
  pushMethod,
  type StreamConfiguration,
  type StreamStatus,
} from '../contracts/signal-streams.ts';
import type { HttpConfig } from '../base/dependencies.ts';

export type About = Pick<HttpConfig, 'issuer' | 'baseUrl'> & { readonly minVerificationInterval: number };

/** The configuration of a stream as its add-on reads it: never with the header of its pushes. */
export const presentStream = (
  { issuer, baseUrl, minVerificationInterval }: About,
  { streamId, addonId, method, endpointUrl, eventsRequested, description }: SignalStream,
): StreamConfiguration => {
  const supported = supportedTypes(issuer);
  return {
    stream_id: streamId,
    iss: issuer,
    aud: addonId,
    delivery:
      method === 'poll'
        ? { method: pollMethod, endpoint_url: `${baseUrl}/ssf/poll/${streamId}` }
        : { method: pushMethod, endpoint_url: endpointUrl ?? '' },
    events_supported: supported,
    ...(eventsRequested.length > 0 && { events_requested: eventsRequested }),
    events_delivered: supported.filter((type) => eventsRequested.includes(type)),
    min_verification_interval: minVerificationInterval,
    ...(description !== null && { description }),
  };
};

export const presentStatus = ({ streamId, status, reason }: SignalStream): StreamStatus => ({
  stream_id: streamId,
  status,
  ...(reason !== null && { reason }),
});
