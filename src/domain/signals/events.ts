import { z } from 'zod';
import { instant, mustKnow, type SentenceContext } from '../describe-event.ts';
import { thisAddon } from '../event-subjects.ts';
import { internal } from '../kernel/publication.ts';
import { markName } from '../kernel/sentence.ts';
import { signalStream } from '../streams.ts';

/** RFC 8936 and RFC 8935. */
export const signalMethods = ['poll', 'push'] as const;

/** SSF 1.0 §8.1.2: paused keeps SETs, disabled does not. */
export const signalStatuses = ['enabled', 'paused', 'disabled'] as const;

const ofStream = {
  subjects: thisAddon,
  /** The worker keeps the streams themselves. */
  notices: null,
  kafka: internal(
    'how an add-on is notified authorizes nothing; the events themselves are published, or not',
  ),
};

const streamId = z.string();

/** How an add-on is notified, and of what. */
const configuration = {
  method: z.enum(signalMethods),
  endpointUrl: z.string().nullable(),
  authorization: z
    .strictObject({ tokenKeyId: z.string(), encrypted: z.string() })
    .nullable()
    .describe("each push's header, by AES-256-GCM: nonce, ciphertext, tag; base64url"),
  eventsRequested: z.array(z.string()),
  description: z.string().nullable(),
};

type Method = (typeof signalMethods)[number];
const deliveryIn = (words: SentenceContext['words'], method: Method, endpointUrl: string | null): string =>
  method === 'poll' ? words.byPolls : words.byPushes(markName(endpointUrl ?? ''));

/** The SSF stream of one add-on (SG-03): an add-on has one at a time, and each has an id of its own. */
export const signalStreamEvents = {
  SignalStreamCreated: mustKnow(
    { streamId, addonId: z.string(), ...configuration, at: instant },
    {
      ...ofStream,
      ownStream: ({ addonId }) => signalStream(addonId),
      sentence: ({ streamId, addonId, method, endpointUrl }, { words, addon }) =>
        words.SignalStreamCreated(addon(addonId), streamId, deliveryIn(words, method, endpointUrl)),
    },
  ),
  SignalStreamChanged: mustKnow(
    { streamId, ...configuration, at: instant },
    {
      ...ofStream,
      sentence: ({ streamId, method, endpointUrl }, { words, addon, streamId: addonId }) =>
        words.SignalStreamChanged(streamId, addon(addonId), deliveryIn(words, method, endpointUrl)),
    },
  ),
  SignalStreamStatusChanged: mustKnow(
    {
      streamId,
      status: z.enum(signalStatuses),
      reason: z.string().nullable(),
      by: z.enum(['receiver', 'transmitter']).describe('the add-on, or Grantbook and its operators'),
      at: instant,
    },
    {
      ...ofStream,
      /** SSF 1.0 §8.1.5: what the receiver did itself it knows. It is held until the stream may deliver again. */
      notices: ({ streamId, status, reason, by }, { streamId: addonId }) =>
        by === 'receiver'
          ? []
          : [
              {
                addonId,
                queue: 'stream',
                event: 'streamUpdated',
                subject: { kind: 'stream', id: streamId },
                payload: { status, ...(reason !== null && { reason }) },
              },
            ],
      sentence: ({ streamId, status, reason, by }, { words, addon, streamId: addonId }) =>
        words.SignalStreamStatusChanged(
          streamId,
          addon(addonId),
          words.statuses[status],
          by === 'receiver',
          reason === null ? null : markName(reason),
        ),
    },
  ),
  /** An operator lets everything that is kept and came after a position of the log be offered once more (SG-12). */
  SignalStreamReplayed: mustKnow(
    {
      streamId,
      after: z.string(),
      at: instant,
    },
    {
      ...ofStream,
      sentence: ({ streamId, after }, { words, addon, streamId: addonId }) =>
        words.SignalStreamReplayed(streamId, addon(addonId), after),
    },
  ),
  SignalStreamDeleted: mustKnow(
    { streamId, at: instant },
    {
      ...ofStream,
      sentence: ({ streamId }, { words, addon, streamId: addonId }) =>
        words.SignalStreamDeleted(streamId, addon(addonId)),
    },
  ),
};
