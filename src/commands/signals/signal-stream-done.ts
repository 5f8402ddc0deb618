import type {
  SignalConfiguration,
  SignalStream,
  SignalStreamState,
} from '../../domain/signals/signal-stream.ts';
import type { EventMetadata, Position } from '../../eventstore/event-store.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { Outcome } from '../kernel/outcome.ts';

/** Who changes a stream: the add-on itself, an operator, or Grantbook by itself. */
export type SignalStreamCaller = 'addon' | 'operator' | 'service';

export const madeBy = (
  caller: SignalStreamCaller,
  addonId: string,
): { readonly metadata?: EventMetadata } => {
  switch (caller) {
    case 'addon':
      return { metadata: { actor: `addon:${addonId}` } };
    case 'operator':
      return byOperator();
    case 'service':
      return {};
  }
};

/** The stream as it is now; `position` of what this call appended, null where nothing changed. */
export type SignalStreamDone = { readonly stream: SignalStream; readonly position: Position | null };

export const signalStreamDone = <R extends string>({
  state: { stream },
  position,
  events,
  refusal,
}: {
  readonly state: SignalStreamState;
  readonly position: Position | null;
  readonly events: readonly unknown[];
  readonly refusal: R | undefined;
}): Outcome<SignalStreamDone, R> => {
  if (refusal !== undefined) return { ok: false, refusal };
  if (!stream) throw new Error('a stream that was accepted is there');
  return { ok: true, value: { stream, position: events.length > 0 ? position : null } };
};

/** With the `Authorization` header as it was given; it is kept encrypted. */
export type GivenConfiguration = Omit<SignalConfiguration, 'authorization'> & {
  readonly authorization: string | null;
};
