import type { EventOf } from '../../domain/events.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import { streamTypes } from '../set-types.ts';
import { opaqueSubject, type Telling, type Told } from './told.ts';

/** SSF 1.0 §8.1.5: what the receiver did itself it knows. It is held until the stream may deliver again. */
export const statusChanged = (
  { streamId, status, reason, by }: EventOf<'SignalStreamStatusChanged'>['data'],
  { recorded }: Telling,
): readonly Told[] =>
  by === 'receiver'
    ? []
    : [
        {
          addonId: idOf(recorded.stream),
          queue: 'stream',
          type: streamTypes.streamUpdated,
          subId: opaqueSubject(streamId),
          payload: { status, ...(reason !== null && { reason }) },
        },
      ];
