import {
  accept,
  type Decider,
  type Decision,
  type Instant,
  refuse,
} from '../../../src/domain/kernel/decision.ts';
import type { PaintEvent } from './events.ts';

export type Paint = { readonly color: string | null };

export const paintDecider: Decider<Paint, PaintEvent> = {
  initial: { color: null },
  evolve: (paint, event) => (event.type === 'AddonPainted' ? { color: event.data.color } : paint),
};

/** Painting it again in its colour changes nothing. */
export const paintAddon = (
  { color }: Paint,
  { now, ...paint }: { readonly color: 'red' | 'green'; readonly by: string; readonly now: Instant },
): Decision<PaintEvent, 'only-once'> => {
  if (color === paint.color) return accept();
  if (color !== null) return refuse('only-once');
  const words = `How ${paint.color}!`;
  return accept<PaintEvent>(
    { type: 'AddonPainted', data: { ...paint, at: now } },
    { type: 'AddonPaintPraised', data: { userId: paint.by, words, at: now } },
  );
};
