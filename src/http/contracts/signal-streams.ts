import { z } from 'zod';
import { signalStatuses } from '../../domain/signals/events.ts';
import { address } from './fields.ts';

// Shared Signals Framework 1.0: §7.1 the configuration of the transmitter, §8.1 streams. Members that are not named
// here are ignored, as in every JSON of the framework.

export const pollMethod = 'urn:ietf:rfc:8936';
export const pushMethod = 'urn:ietf:rfc:8935';

/** Characters that people and databases can live with: no control characters but line breaks and tabs. */
const plain = /^(?:[^\p{Control}\p{Surrogate}]|[\n\r\t])*$/u;

const streamId = z.string().max(1000).describe('Id of the stream.');

const delivery = z.object({
  method: z.enum([pollMethod, pushMethod]).describe('Poll (RFC 8936) or push (RFC 8935).'),
  endpoint_url: z
    .string()
    .max(2048)
    .nullish()
    .describe(
      'For pushes: where SETs are sent. For polls it is assigned by the transmitter, and must match if it is sent.',
    ),
  authorization_header: z
    .string()
    .min(1)
    .max(4096)
    .regex(/^[\x21-\x7e]+(?:[ \t]+[\x21-\x7e]+)*$/)
    .nullish()
    .describe('Of a push: the `Authorization` header of each of them. It is never answered.'),
});

/** What the receiver supplies; null is the same as not sent. */
const supplied = {
  events_requested: z
    .array(z.string().min(1).max(500).regex(plain))
    .max(100)
    .nullish()
    .describe('URIs of the event types that the receiver understands.'),
  delivery: delivery.nullish().describe('A poll if it is not sent.'),
  description: z.string().max(500).regex(plain).nullish().describe('For people.'),
};

export const createStreamForm = z.object(supplied).describe('A stream to be created (SSF 1.0 §8.1.1.1).');

/** What we supply: it may be sent, but must match. */
const own = {
  iss: z.unknown().optional(),
  aud: z.unknown().optional(),
  events_supported: z.unknown().optional(),
  events_delivered: z.unknown().optional(),
  min_verification_interval: z.unknown().optional(),
  inactivity_timeout: z.unknown().optional(),
};

export const changeStreamForm = z
  .object({ stream_id: streamId, ...supplied, ...own })
  .describe(
    'A stream as it shall be: with PATCH what is not sent stays as it is, with PUT it is removed. Of what the transmitter supplies nothing may differ.',
  );

export const streamStatusForm = z
  .object({
    stream_id: streamId,
    status: z.enum(signalStatuses),
    reason: z.string().max(500).regex(plain).nullish().describe('Why, for people.'),
  })
  .describe('The new status of a stream (SSF 1.0 §8.1.2.2).');

export const verifyForm = z
  .object({
    stream_id: streamId,
    state: z
      .string()
      .max(1000)
      .regex(/^\P{Surrogate}*$/u)
      .refine((state) => !state.includes('\0'))
      .nullish()
      .describe('Comes back in the verification event.'),
  })
  .describe('A request for a verification event (SSF 1.0 §8.1.4.2).');

export const streamAllows: Readonly<Record<string, string>> = {
  stream_id: 'the id of a stream',
  events_requested: 'an array of at most 100 URIs of at most 500 characters',
  delivery: `an object with the method ${pollMethod} or ${pushMethod}`,
  'delivery.method': `${pollMethod} or ${pushMethod}`,
  'delivery.endpoint_url': 'a URL of at most 2048 characters',
  'delivery.authorization_header': 'the value of a header field: visible ASCII, at most 4096 characters',
  description: 'a text of at most 500 characters',
  status: `one of ${signalStatuses.join(', ')}`,
  reason: 'a text of at most 500 characters',
  state: 'a text of at most 1000 characters',
};

const eventTypes = (description: string) => z.array(z.string()).readonly().describe(description);

export const streamConfiguration = z
  .object({
    stream_id: z.string(),
    iss: address(),
    aud: z.string().describe('The `client_id` of the add-on.'),
    delivery: z.object({
      method: z.enum([pollMethod, pushMethod]),
      endpoint_url: address().describe('Where it polls, or where SETs are pushed.'),
    }),
    events_supported: eventTypes('What this service knows.'),
    events_requested: eventTypes('What the add-on asked for.').optional(),
    events_delivered: eventTypes('What both know: this is delivered.'),
    min_verification_interval: z.int().min(1).describe('Seconds between two verifications.'),
    description: z.string().optional(),
  })
  .describe('The configuration of a stream (SSF 1.0 §8.1.1).');

export type StreamConfiguration = z.infer<typeof streamConfiguration>;

export const streamOrAll = z
  .union([streamConfiguration, z.array(streamConfiguration).max(1).readonly()])
  .describe('The stream that was asked for, or all of the add-on: one or none.');

export const streamStatus = z
  .object({ stream_id: z.string(), status: z.enum(signalStatuses), reason: z.string().optional() })
  .describe('The status of a stream (SSF 1.0 §8.1.2).');

export type StreamStatus = z.infer<typeof streamStatus>;

export const ssfConfiguration = z
  .object({
    spec_version: z.literal('1_0'),
    issuer: address(),
    jwks_uri: address(),
    delivery_methods_supported: z.array(z.string()).readonly(),
    configuration_endpoint: address(),
    status_endpoint: address(),
    verification_endpoint: address(),
    authorization_schemes: z.array(z.object({ spec_urn: z.string() })).readonly(),
    default_subjects: z.literal('ALL'),
  })
  .describe('What this transmitter of shared signals offers (SSF 1.0 §7.1).');

export type SsfConfiguration = z.infer<typeof ssfConfiguration>;

export const streamQuery = z.object({ stream_id: z.string().optional().describe('Id of the stream.') });
