import type { EventType } from '../../domain/events.ts';

/** Turns the data of one version into the data of the next. Must accept all data, without side effects. */
export type Upcast = (data: unknown) => unknown;

/**
 * Per event type, the steps from each version to the next: the first turns version 1 into 2. A type without steps is at
 * version 1. A change that the version before cannot do without, or cannot leave out, needs a step here and a fixture of
 * the new version (docs/contributing.md); stored events stay unchanged.
 */
export const upcasts: { readonly [T in EventType]?: readonly Upcast[] } = {};
