import { z } from 'zod';
import {
  signalMethods,
  signalParties,
  signalStatuses,
  type SignalStreamEvent,
} from '../../../domain/signals/signal-stream.ts';
import { instant, mustKnow, schemasOf } from './schemas-of.ts';

const configuration = {
  method: z.enum(signalMethods),
  endpointUrl: z.string().nullable(),
  authorization: z.strictObject({ tokenKeyId: z.string(), encrypted: z.string() }).nullable(),
  eventsRequested: z.array(z.string()),
  description: z.string().nullable(),
};
const streamId = z.string();

export const signalStreamSchemas = schemasOf<SignalStreamEvent>()({
  SignalStreamCreated: mustKnow({ streamId, addonId: z.string(), ...configuration, at: instant }),
  SignalStreamChanged: mustKnow({ streamId, ...configuration, at: instant }),
  SignalStreamStatusChanged: mustKnow({
    streamId,
    status: z.enum(signalStatuses),
    reason: z.string().nullable(),
    by: z.enum(signalParties),
    at: instant,
  }),
  SignalStreamReplayed: mustKnow({ streamId, after: z.string(), at: instant }),
  SignalStreamDeleted: mustKnow({ streamId, at: instant }),
});
