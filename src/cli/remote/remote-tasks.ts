import type { Found, Names } from '../../tasks/find.ts';
import { unknownThing } from '../../tasks/outcomes.ts';
import { addressOf, listAddressOf, placeOf, type Place } from '../../tasks/places.ts';
import type { Entity, Json, Listed, TaskRefused } from '../../tasks/task.ts';
import type { Tasks } from '../base/tasks.ts';
import { type Answered, type Api, type Refused, RefusedByService } from './api.ts';

/** Carries out the tables of tasks over the API, at the addresses that the table gives to it. */
export const remoteTasks = (api: Api, reason: string | undefined): Tasks => ({
  list: async (about, filters, { after, limit }) =>
    found(await api.ask('GET', listAddressOf(about), { query: { ...filters, limit, after } })) as Found<
      Json & Listed
    >,
  show: async (about, id) => {
    const path = pathIn(addressOf(about), { [about.idKey]: id });
    if (path === null) return nothing;
    const found = foundOrNull(about, await api.ask('GET', path));
    return found.ok ? { ok: true, value: found.value && spoken(found.value) } : found;
  },
  listPart: async (about, part, id, { after, limit }) => {
    const path = pathIn(`${addressOf(about)}/${part.name}`, { [about.idKey]: id });
    if (path === null) return nothing;
    const answered = await api.ask('GET', path, { query: { limit, after } });
    return foundOrNull(about, answered) as Found<(Json & Listed) | null>;
  },
  perform: async (about, task, { id, input }) => {
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
  close: () => Promise.resolve(),
});

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

/** What was refused as on the servers. @throws RefusedByService for what only a service answers */
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
