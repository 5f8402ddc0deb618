import type { z } from 'zod';
import { normalUrl } from '../../common/normal-url.ts';
import type { GivenConfiguration } from '../../commands/signals/signal-stream-done.ts';
import type { ParameterError } from '../contracts/problem.ts';
import {
  pushMethod,
  type changeStreamForm,
  type createStreamForm,
  type StreamConfiguration,
} from '../contracts/signal-streams.ts';

type Delivery = Pick<GivenConfiguration, 'method' | 'endpointUrl' | 'authorization'>;
type GivenDelivery = z.infer<typeof createStreamForm>['delivery'];

const deliveryOf = (given: GivenDelivery): Delivery =>
  given?.method === pushMethod
    ? {
        method: 'push',
        endpointUrl: given.endpoint_url ?? null,
        authorization: given.authorization_header ?? null,
      }
    : { method: 'poll', endpointUrl: null, authorization: null };

/** Everything that the receiver supplies; what it did not send is not there (SSF 1.0 §8.1.1.1, §8.1.1.4). */
export const allSupplied = ({
  delivery,
  events_requested: eventsRequested,
  description,
}: z.infer<typeof createStreamForm>): GivenConfiguration => ({
  ...deliveryOf(delivery),
  eventsRequested: [...new Set(eventsRequested ?? [])],
  description: description ?? null,
});

/** Only what was sent (SSF 1.0 §8.1.1.3), null being nothing. The delivery is replaced as a whole. */
export const sentSupplied = (sent: z.infer<typeof createStreamForm>): Partial<GivenConfiguration> => {
  const { delivery = null, events_requested: requested = null, description = null } = sent;
  const { eventsRequested } = allSupplied(sent);
  return {
    ...(delivery && deliveryOf(delivery)),
    ...(requested && { eventsRequested }),
    ...(description !== null && { description }),
  };
};

const lists = ['events_supported', 'events_delivered', 'aud'] as const;
const values = ['iss', 'min_verification_interval', 'inactivity_timeout'] as const;

/** What differs from what we supply (SSF 1.0 §8.1.1.3): deliveries must be sent as before (`now`), not as after the change (`then`). */
export const differences = (
  sent: z.infer<typeof changeStreamForm>,
  now: StreamConfiguration,
  then: StreamConfiguration,
): readonly ParameterError[] => {
  const own: Readonly<Record<string, unknown>> = now;
  const wrong: string[] = [
    ...lists.filter((name) => sent[name] !== undefined && !isSame(sent[name], own[name])),
    ...values.filter((name) => sent[name] !== undefined && normal(sent[name]) !== (own[name] ?? null)),
  ];
  const endpoint = sent.delivery?.endpoint_url ?? null;
  const isOther = endpoint !== null && endpoint !== then.delivery.endpoint_url;
  return [...wrong, ...(isOther ? ['delivery.endpoint_url'] : [])].map((parameter) => ({
    parameter,
    code: 'malformed',
    allowed: 'the value of this service, or nothing',
  }));
};

/** A receiver may spell our `iss` in another way (FX-63). */
const normal = (value: unknown): unknown => (typeof value === 'string' ? normalUrl(value) : value);

const isSame = (sent: unknown, own: unknown): boolean => {
  const [one, other] = [new Set(listOf(sent)), new Set(listOf(own))];
  return one.size === other.size && [...one].every((value) => other.has(value));
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
