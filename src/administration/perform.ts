import { spelled, type SentenceContext } from '../domain/describe-event.ts';
import { describeEvent } from '../domain/events.ts';
import { textOf } from '../domain/kernel/sentence.ts';
import type { CommandContext } from '../commands/kernel/context.ts';
import { ChangedMeanwhile } from '../commands/kernel/handle.ts';
import { idOf as idIn } from '../domain/kernel/stream-name.ts';
import type { StreamName } from '../domain/streams.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { idOf, withIds } from './find.ts';
import { personsOf, personText } from './people/to-whom.ts';
import { isMaking } from './places.ts';
import type { Entity, Json, Services, Task, TaskRefused } from './task.ts';

export type Performed =
  | {
      readonly ok: true;
      readonly id: string;
      readonly json: Json;
      readonly extra: Json;
      readonly text: string;
      /** Whose newest event is the version of what was changed. */
      readonly stream: StreamName;
      /** False: it was so before. */
      readonly changed: boolean;
      /** False: the task has removed it. */
      readonly isThere: boolean;
    }
  | TaskRefused;

/** Does a task and answers the thing as it is then. Where `shownAt`, the revision that the operator saw, has changed: `changed-meanwhile`. */
export const perform = async (
  services: Services,
  about: Entity,
  task: Task,
  request: { readonly id: string; readonly input: Json; readonly shownAt?: bigint },
  context: CommandContext,
): Promise<Performed> => {
  const { shownAt } = request;
  const named = isMaking(about, task)
    ? ({ ok: true, value: request.id } as const)
    : await idOf(services, about, request.id);
  if (!named.ok) return named;
  const found = await withIds(services, task.input, request.input);
  if (!found.ok) return found;
  const [id, input] = [named.value, found.value];
  const stream = task.stream?.(id, input) ?? about.stream(id);
  const given =
    shownAt === undefined ? context : { ...context, unchangedSince: { stream, revision: shownAt } };
  const isStale = await refuseIfChanged(services, stream, shownAt);
  if (isStale) return isStale;
  try {
    const whom = [(await task.toWhom?.(id, input, services)) ?? []].flat();
    const done = await task.run(services, id, input, given);
    if (!done.ok) return done;
    const persons = await personsOf(services, whom);
    if (done.position !== null) await services.settle(done.position);
    else if (done.id !== undefined) await services.settle();
    const made = done.id ?? id;
    const shown = await about.show(services, made);
    const extra = done.json ?? {};
    const changed = done.position !== null || done.id !== undefined;
    const repeats = {
      ...done.repeats,
      ...('changed' in (task.adds?.shape ?? {}) && { changed }),
      ...(persons.length > 0 && { given_to: persons }),
    };
    const json = task.answers ? extra : { ...shown, ...repeats, ...extra };
    const madeIn = task.stream ? stream : about.stream(made);
    return {
      ok: true,
      id: made,
      json,
      extra,
      text: [done.text, ...persons.map((person) => `Given to ${personText(person)}.`)].join('\n'),
      stream: madeIn,
      changed,
      isThere: shown !== null,
    };
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
    return changedMeanwhile(services, stream, shownAt);
  }
};

const mostTold = 20;

const changedMeanwhile = async (
  services: Services,
  stream: StreamName,
  shownAt: bigint | undefined,
): Promise<TaskRefused> => {
  const newest = await newestIn(services, stream);
  const since = newest === null || shownAt === undefined ? 0 : Number(newest - shownAt);
  const { events } =
    since > 0 ? await services.store.readBack(stream, 'end', Math.min(since, mostTold)) : { events: [] };
  return {
    ok: false,
    refusal: 'changed-meanwhile',
    message:
      `nothing was done, because it has changed since you saw it. ${events.map(sentenceAbout).join(' ')}`.trim(),
    changes: events,
  };
};

/** For what appends nothing: null where the stream is as it was shown. */
export const refuseIfChanged = async (
  services: Services,
  stream: StreamName,
  shownAt: bigint | undefined,
): Promise<TaskRefused | null> =>
  shownAt === undefined || (await newestIn(services, stream)) === shownAt
    ? null
    : changedMeanwhile(services, stream, shownAt);

/** Of the newest event, which is all that is read; null for what does not exist. */
export const revisionOf = (services: Services, about: Entity, id: string): Promise<bigint | null> =>
  newestIn(services, about.stream(id));

/** Null for a stream without events. */
export const newestIn = async ({ store }: Services, stream: StreamName): Promise<bigint | null> => {
  const { revision } = await store.readBack(stream, 'end', 1);
  return typeof revision === 'bigint' ? revision : null;
};

/** With ids instead of names: names may be personal, and this is also an answer for programs. */
export const withIdsAlone = (stream: StreamName): SentenceContext => {
  const itself = (id: string) => id;
  const named = { organization: itself, addon: itself, user: itself };
  return { ...spelled, ...named, streamId: idIn(stream), owner: null };
};

const sentenceAbout = ({ event, stream, metadata }: RecordedEvent): string => {
  const by = metadata.actor === undefined ? '' : ` (by ${metadata.actor})`;
  return `${textOf(describeEvent(event, withIdsAlone(stream)))}${by}`;
};
