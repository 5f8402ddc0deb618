import { spelled, type SentenceContext } from '../domain/describe-event.ts';
import { describeEvent } from '../domain/events.ts';
import { textOf } from '../domain/kernel/sentence.ts';
import type { CommandContext } from '../commands/kernel/context.ts';
import { ChangedMeanwhile } from '../commands/kernel/handle.ts';
import { idOf as idIn } from '../domain/kernel/stream-name.ts';
import type { StreamName } from '../domain/streams.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { idOf, withIds } from './find.ts';
import { newestIn } from './newest-in.ts';
import { personsOf, personText } from './people/to-whom.ts';
import { isMaking, isOfOperators } from './places.ts';
import type { Entity, Json, Services, Task, TaskRefused } from './task.ts';

export type Performed =
  | {
      readonly ok: true;
      readonly id: string;
      readonly json: Json;
      readonly extra: Json;
      readonly text: string;
      /** The version that the answer shows, or an older one: the revision of its stream, read before it. Null: it has none. */
      readonly revision: bigint | null;
      /** False: it was so before. */
      readonly changed: boolean;
      /** False: the task has removed it. */
      readonly isThere: boolean;
    }
  | TaskRefused;

/** Does a task and answers the thing as it is then. Where its revision is none of `shownAt`, those that the operator saw: `changed-meanwhile`. */
export const perform = async (
  services: Services,
  about: Entity,
  task: Task,
  request: { readonly id: string; readonly input: Json; readonly shownAt?: readonly bigint[] },
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
  const before = shownAt || task.answers ? await newestIn(services, stream) : null;
  if (shownAt && (before === null || !shownAt.includes(before)))
    return changedMeanwhile(services, stream, shownAt, toldTo(about));
  const given =
    shownAt && before !== null ? { ...context, unchangedSince: { stream, revision: before } } : context;
  try {
    const whom = [(await task.toWhom?.(id, input, services)) ?? []].flat();
    const done = await task.run(services, id, input, given);
    if (!done.ok) return done;
    const persons = await personsOf(services, whom);
    if (done.position !== null) await services.settle(done.position);
    else if (done.id !== undefined) await services.settle();
    const made = done.id ?? id;
    const madeIn = task.stream ? stream : about.stream(made);
    const revision = task.answers
      ? ((task.isRead ? null : await revisionMadeBy(services, madeIn, context)) ?? before)
      : await newestIn(services, madeIn);
    const shown = await about.show(services, made);
    const extra = done.json ?? {};
    const changed = done.position !== null || done.id !== undefined;
    const repeats = {
      ...done.repeats,
      ...('changed' in (task.adds?.shape ?? {}) && { changed }),
      ...(persons.length > 0 && { given_to: persons }),
    };
    const json = task.answers ? extra : { ...shown, ...repeats, ...extra };
    return {
      ok: true,
      id: made,
      json,
      extra,
      text: [done.text, ...persons.map((person) => `Given to ${personText(person)}.`)].join('\n'),
      revision,
      changed,
      isThere: shown !== null,
    };
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
    return changedMeanwhile(services, stream, shownAt ?? [], toldTo(about));
  }
};

const mostTold = 20;
/** Of events: operators read them. Who did something, and why, is nobody else's business. */
const toldTo = (about: Entity): number => (isOfOperators(about) ? mostTold : 0);

/** The revision that the newest event of this call made in a stream; null: none of its newest events is of this call. */
const revisionMadeBy = async (
  { store }: Services,
  stream: StreamName,
  { traceparent }: CommandContext,
): Promise<bigint | null> => {
  const { events } = await store.readBack(stream, 'end', mostTold);
  return events.findLast(({ metadata }) => metadata.traceparent === traceparent)?.revision ?? null;
};

const changedMeanwhile = async (
  services: Services,
  stream: StreamName,
  shownAt: readonly bigint[],
  most: number,
): Promise<TaskRefused> => {
  const newest = await newestIn(services, stream);
  const since = newest === null ? 0 : Math.min(...shownAt.map((seen) => Number(newest - seen)), most);
  const { events } =
    since > 0 && shownAt.length > 0 ? await services.store.readBack(stream, 'end', since) : { events: [] };
  return {
    ok: false,
    refusal: 'changed-meanwhile',
    message:
      `nothing was done, because it has changed since you saw it. ${events.map(sentenceAbout).join(' ')}`.trim(),
    changes: events,
  };
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
