import type { About } from '../../domain/event-subjects.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { ReadTold, ToldSet } from '../../signals/read-sets-of-events.ts';
import { positionText } from './position-text.ts';
import type { Told } from './timeline.ts';

/** Whether a timeline shows a SET: an organization's auditors see the messages about it; about users, add-ons and grants only operators ask. */
export const isShownIn = (about: About, queue: ToldSet['queue']): boolean =>
  about.kind !== 'organization' || queue === `organization:${about.id}`;

export type ToldAt = (position: Position) => readonly ToldSet[];

/** The messages of the events at these positions, as far as the timeline shows them. */
export const readToldAt = async (
  read: ReadTold,
  about: About,
  positions: readonly Position[],
): Promise<ToldAt> => {
  const byPosition = new Map<string, ToldSet[]>();
  for (const set of await read(positions)) {
    if (!isShownIn(about, set.queue)) continue;
    const place = positionText(set.position);
    byPosition.set(place, [...(byPosition.get(place) ?? []), set]);
  }
  return (position) => byPosition.get(positionText(position)) ?? [];
};

export const toldFrom = (
  { addonId, type, jti, state, acknowledgedAt }: ToldSet,
  names: ReadonlyMap<string, string>,
): Told => ({
  addon: { kind: 'addon', id: addonId, name: names.get(addonId) ?? null },
  event: type,
  jti,
  state,
  acknowledgedAt: acknowledgedAt && acknowledgedAt.toISOString(),
});

/** The end of the event type's URI: "addon-deactivated". */
export const shortEventOf = ({ event }: Told): string => event.slice(event.lastIndexOf('/') + 1);

/** How the delivery stands, in words that a time may follow. */
export const stateWords = ({ state, acknowledgedAt }: Told): string => {
  switch (state) {
    case 'acknowledged':
      return 'acknowledged';
    case 'refused':
      return 'refused by the receiver';
    case 'waiting':
      return acknowledgedAt === null ? 'waiting' : 'waiting again after a replay, last answered';
  }
};
