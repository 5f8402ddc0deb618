import type { Found, Names } from '../../tasks/find.ts';
import { unknownThing } from '../../tasks/outcomes.ts';
import { addressOf, listAddressOf, placeOf, type Place } from '../../tasks/places.ts';
import type { Entity, Json, Listed, Page, Part, Task, TaskRefused } from '../../tasks/task.ts';
import { type Answered, type Api, type Refused, RefusedByService } from './api.ts';

/**
 * Carries out the table of tasks over the API, at the addresses that the table gives to it. What was typed is given as it is, checked
 * against the table.
 */
export const tasksOver = (api: Api, reason: string | undefined) => ({
  list: async (about: Entity, filters: Json, { after, limit }: Page) =>
    found(await api.ask('GET', listAddressOf(about), { query: { ...filters, limit, after } })) as Found<
      Json & Listed
    >,
  /** Null for an unknown id. */
  show: async (
    about: Entity,
    id: string,
  ): Promise<Found<{ readonly json: Json; readonly names: Names } | null>> => {
    const path = pathIn(addressOf(about), { [about.idKey]: id });
    if (path === null) return nothing;
    const found = foundOrNull(about, await api.ask('GET', path));
    return found.ok ? { ok: true, value: found.value && spoken(found.value) } : found;
  },
  /** Null for an unknown id. */
  listPart: async (about: Entity, part: Part, id: string, { after, limit }: Page) => {
    const path = pathIn(`${addressOf(about)}/${part.name}`, { [about.idKey]: id });
    if (path === null) return nothing;
    const answered = await api.ask('GET', path, { query: { limit, after } });
    return foundOrNull(about, answered) as Found<(Json & Listed) | null>;
  },
  /** @param request an empty id where the task makes one */
  perform: async (
    about: Entity,
    task: Task,
    { id, input }: { readonly id: string; readonly input: Json },
  ): Promise<
    { readonly ok: true; readonly json: Json; readonly text: string; readonly names: Names } | TaskRefused
  > => {
    const place = placeOf(about, task);
    const path = pathIn(place.url, { [about.idKey]: id, ...inAddress(place, input) });
    if (path === null) return unknownThing(about, id);
    const fields = Object.fromEntries(Object.entries(input).filter(([name]) => name in place.input.shape));
    const answered = await api.ask(
      place.method,
      path,
      task.isRead ? { query: fields } : { body: { ...fields, ...(reason !== undefined && { reason }) } },
    );
    if (!answered.ok) return refusalIn(answered);
    return { ok: true, text: '', ...spoken(answered.json) };
  },
  close: api.close,
});

export type Tasks = ReturnType<typeof tasksOver>;

/** Opens the tasks, runs `use`, and closes them in any case. */
export const withTasks = async <T>(
  { openTasks }: { readonly openTasks: () => Promise<Tasks> },
  use: (tasks: Tasks) => Promise<T>,
): Promise<T> => {
  const tasks = await openTasks();
  try {
    return await use(tasks);
  } finally {
    await tasks.close();
  }
};

type Spoken = Json & { readonly _outcome?: { readonly text?: string; readonly names?: Names } };

/** An answer without, and what the service says next to it. */
const spoken = (answered: Json) => {
  const { _outcome: { text, names = {} } = {}, ...json } = answered as Spoken;
  return { json, names, ...(text !== undefined && { text }) };
};

const nothing = { ok: true, value: null } as const;

const inAddress = ({ inAddress: names }: Place, input: Json): Json =>
  Object.fromEntries(Object.entries(names).map(([parameter, field]) => [parameter, input[field]]));

const textIn = (values: Json, name: string): string => {
  const value = values[name];
  return typeof value === 'string' ? value : '';
};

/** An address with these values; null where a value names nothing: a URL drops `.` and `..`, also percent-encoded. */
const pathIn = (template: string, values: Json): string | null => {
  const used = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => textIn(values, name));
  if (used.some((value) => ['', '.', '..'].includes(value))) return null;
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(textIn(values, name)));
};

const foundOrNull = ({ name }: Entity, answered: Answered): Found<Json | null> =>
  !answered.ok && answered.kind === `${name}-unknown` ? nothing : found(answered);

const found = (answered: Answered): Found<Json> =>
  answered.ok ? { ok: true, value: answered.json } : refusalIn(answered);

/** @throws RefusedByService for what refuses the request, and no task */
const refusalIn = (refused: Refused): TaskRefused => {
  const isOutcome = refused.status < 500 && ![403, 413, 415, 429].includes(refused.status);
  if (!isOutcome || refused.kind === 'not-found') throw new RefusedByService(refused);
  const { code, message, problems, candidates, current } = refused;
  return {
    ok: false,
    refusal: code,
    message,
    ...(problems && { problems }),
    ...(candidates && { candidates }),
    ...(current && { current }),
  };
};
