import type { Position } from '../eventstore/event-store.ts';
import type { Entity, TaskDone, TaskRefused } from './task.ts';

/** Each refusal has a sentence (FX-79): one without does not compile. */
export const refusing =
  <Refusal extends string>(messages: { readonly [R in Refusal]: string }) =>
  (refusal: Refusal): TaskRefused => ({ ok: false, refusal, message: messages[refusal] });

export const unknownThing = (
  { name, noun = name }: Pick<Entity, 'name' | 'noun'>,
  id: string,
): TaskRefused => ({
  ok: false,
  refusal: `${name}-unknown`,
  message: `there is no ${noun} ${id}`,
});

export const changedTo = (
  { changed, position }: { readonly changed: boolean; readonly position: Position | null },
  said: string,
  already = 'It was so before.',
): TaskDone => ({ ok: true, text: changed ? said : already, position: changed ? position : null });
