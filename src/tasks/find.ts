import type { NameOf } from '../domain/event-subjects.ts';
import type { z } from 'zod';
import { idsIn, shownFields } from './answer-fields.ts';
import { entities } from './entities.ts';
import { fieldsOf } from './fields.ts';
import { mostNamed } from './named.ts';
import { newestIn } from './newest-in.ts';
import {
  answeredBy,
  cursorProblem,
  listPart,
  type Candidate,
  type Entity,
  type Json,
  type Listed,
  type Page,
  type Part,
  type Services,
  type Task,
  type TaskRefused,
} from './task.ts';

export type Found<Value> = { readonly ok: true; readonly value: Value } | TaskRefused;

/**
 * The id of what a text names: an id itself, `external:X`, an e-mail address, or an exact name of what is no person, in this order
 * (AP-09). Several of one name, and people of a name, are refused with who they are; what names nothing stays as it is, and is
 * answered like an unknown id.
 */
export const idOf = async (services: Services, about: Entity, text: string): Promise<Found<string>> => {
  if (about.isId(text)) return { ok: true, value: text };
  const found = await about.find(services, text);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return { ok: true, value: first.id };
  const offered = first === undefined ? ((await about.offer?.(services, text)) ?? []) : found;
  if (offered.length === 0) return { ok: true, value: text };
  const { plural, noun = about.name } = about;
  const shown = offered.slice(0, mostNamed);
  const who = `${shown.map(candidateText).join(', ')}${offered.length > mostNamed ? ', and more' : ''}`;
  return {
    ok: false,
    refusal: 'name-ambiguous',
    message:
      first === undefined
        ? `a ${noun} is not taken by name. Those of this name are ${who}; use the id or the e-mail address`
        : `several ${plural} have this name: ${who}; use the id of the ${noun}`,
    candidates: shown,
  };
};

/** With the address of a person, and whether anybody vouches for it. */
const candidateText = ({ id, name, email, email_verified: verified }: Candidate): string =>
  `${id} (${name}${email ? `, ${email}${verified === true ? '' : ', not verified'}` : ''})`;

/** An input whose references are ids. */
export const withIds = async (
  services: Services,
  input: Entity['filters'],
  given: Json,
): Promise<Found<Json>> => {
  const found: Record<string, unknown> = { ...given };
  for (const { name, refersTo } of fieldsOf(input)) {
    const about = entities.find((entity) => entity.name === refersTo);
    const value = given[name];
    const texts = [value].flat().filter((text) => typeof text === 'string');
    if (about === undefined || texts.length === 0) continue;
    const ids: string[] = [];
    for (const text of texts) {
      const id = await idOf(services, about, text);
      if (!id.ok) return id;
      ids.push(id.value);
    }
    found[name] = Array.isArray(value) ? ids : ids[0];
  }
  return { ok: true, value: found };
};

/** What `show` answers about what a text names, null for what is unknown, and its revision, which is not newer: it is read first. */
export const showNamed = async (
  services: Services,
  about: Entity,
  text: string,
): Promise<Found<{ readonly id: string; readonly json: Json | null; readonly revision: bigint | null }>> => {
  const id = await idOf(services, about, text);
  if (!id.ok) return id;
  const revision = await newestIn(services, about.stream(id.value));
  return { ok: true, value: { id: id.value, json: await about.show(services, id.value), revision } };
};

/** A page of an entity's list, with the names of what its columns name. A filter that names nothing is refused. */
export const listNamed = async (
  services: Services,
  about: Entity,
  filters: Json,
  page: Page,
): Promise<Found<Listed>> => {
  const found = await withIds(services, about.filters, filters);
  if (!found.ok) return found;
  const unknown = fieldsOf(about.filters).find(
    ({ name, refersTo }) =>
      refersTo !== null && found.value[name] !== undefined && !isPossibleId(found.value[name]),
  );
  if (unknown)
    return {
      ok: false,
      refusal: `${unknown.refersTo}-unknown`,
      message: `nothing is called like the filter ${unknown.name} says`,
      problems: [{ field: unknown.name, message: unknown.allowed }],
    };
  const wrong = cursorProblem(about, found.value, page.after);
  if (wrong)
    return {
      ok: false,
      refusal: 'invalid',
      message: `after is not ${wrong.allowed}`,
      problems: [{ field: wrong.field, message: wrong.allowed }],
    };
  const listed = await about.list(services, found.value, page);
  return { ok: true, value: await withNames(services, about, about.shape, listed, about.idKey) };
};

const isPossibleId = (value: unknown): boolean => /^\w{1,64}$/.test(String(value));

/** The same of one of its parts; null for an unknown thing. */
export const listPartNamed = async (
  services: Services,
  about: Entity,
  part: Part,
  text: string,
  page: Page,
): Promise<Found<(Json & Listed) | null>> => {
  const id = await idOf(services, about, text);
  if (!id.ok) return id;
  const listed = await listPart(services, about, part, id.value, page);
  return {
    ok: true,
    value: listed && { ...listed, ...(await withNames(services, part, part.item, listed)) },
  };
};

export type Names = Readonly<Record<string, string>>;

const namesIn = async ({ readModels }: Services, ids: readonly NameOf[]): Promise<Names> => {
  const wanted = new Map(ids.map((about) => [about.id, about]));
  if (wanted.size === 0) return {};
  return Object.fromEntries(await readModels.names([...wanted.values()]).catch(() => []));
};

/** What the ids of other things in an answer about one of them, and of a task, are called. */
export const namesOf = async (
  services: Services,
  { idKey, shape }: Entity,
  json: Json,
  task?: Task | null,
): Promise<Names> =>
  Object.fromEntries(
    Object.entries(await namesIn(services, idsIn(shownFields(shape, ...answeredBy(task)), json))).filter(
      ([id, name]) => id !== json[idKey] || name !== json['name'],
    ),
  );

/** What the ids in the columns of a list are called, but for those whose names have a column of their own. */
const withNames = async <L extends Listed>(
  services: Services,
  { columns }: Pick<Entity, 'columns'>,
  item: z.ZodObject,
  listed: L,
  own = 'name' in columns ? Object.keys(columns)[0] : undefined,
): Promise<L> => {
  const fields = new Map([...shownFields(item)].filter(([key]) => key in columns && key !== own));
  const names = await namesIn(
    services,
    listed.items.flatMap((each) => idsIn(fields, each)),
  );
  return Object.keys(names).length === 0 ? listed : { ...listed, names };
};
