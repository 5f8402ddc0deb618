import { z } from 'zod';
import { next, pageFields } from '../../tasks/fields.ts';
import { patchInput } from '../../tasks/patch.ts';
import type { Entity, Part, Task } from '../../tasks/task.ts';
import {
  addressOf,
  hasBody,
  listAddressOf,
  placeOf,
  statusOf,
  tasksOf,
  type Place,
} from '../../tasks/places.ts';
import { answerNameOf, bodyNameOf, schemaNameOf } from '../contracts/managed.ts';
import type { ParameterTable } from '../contracts/parameters.ts';
import { administratorProblems, json, noStore } from '../openapi/answers.ts';
import type { Method, Operation, Paths } from '../openapi/describe.ts';
import { always, like, maybeLike, sometimes, type HeaderUses } from '../openapi/headers.ts';
import type { ProblemKind } from '../answers/problems.ts';

export const pageQuery: ParameterTable = pageFields;

/** Of a sorted list `after` says the order, too: `cursorProblem` checks it. */
export const listQuery = ({ filters }: Entity): ParameterTable =>
  z.object({ ...filters.shape, ...pageFields.shape, after: z.string().meta(next).optional() });

const versioned: HeaderUses = { ...noStore, ETag: like('"12"') };

/** `PATCH` is a JSON Merge Patch (RFC 7396): what is not sent stays, null removes, and a list replaces the one before. */
export const mergePatch = 'application/merge-patch+json';
const patchTypes = [mergePatch, 'application/json'];
export const acceptPatch = patchTypes.join(', ');
const acceptsPatch: HeaderUses = { 'Accept-Patch': always(acceptPatch) };

const creating =
  'With an `Idempotency-Key`, a repeat within 24 hours is answered as the first request was, and makes nothing.';
export const keyKinds = [
  'idempotency-key-running',
  'idempotency-key-reused',
] as const satisfies readonly ProblemKind[];

/** The problem for an id that nothing has. */
export const unknownOf = ({ name }: Pick<Entity, 'name'>): ProblemKind => `${name}-unknown` as ProblemKind;

type Described = Pick<Task, 'name' | 'summary' | 'effect'>;

export const lowered = (summary: string): string => summary.charAt(0).toLowerCase() + summary.slice(1);

/** What the document says about the API of an audience. */
export type ApiOf = Pick<Operation, 'tag' | 'security'> & {
  /** In front of the ids of its operations. */
  readonly prefix: string;
  readonly entities: readonly Entity[];
  /** Why every request may be refused, why one about a list, one that reads, and one that changes something. */
  readonly refusals: Readonly<Record<'all' | 'list' | 'read' | 'change', readonly ProblemKind[]>> & {
    /** Of properties; by default as other changes. */
    readonly patch?: readonly ProblemKind[];
  };
  /** The id and the summary of a task. */
  readonly operation: (about: Entity, task: Described) => { readonly id: string; readonly summary: string };
};

const conditional =
  'With `If-Match` and an `ETag` of before, nothing is done if somebody has changed it since.';

/** What each endpoint of an audience takes and answers. */
export const taskPaths = ({ prefix, entities, refusals, operation, tag, security }: ApiOf): Paths => {
  const common = { tag, security };

  const change = (about: Entity, task: Described & Pick<Task, 'input'>): Operation => ({
    ...common,
    ...operation(about, task),
    description: `${task.effect} All that is sent is changed, or nothing (RFC 5789). ${conditional}`,
    json: schemaNameOf(about, task),
    jsonTypes: patchTypes,
    answers: [
      json(
        200,
        'What it is now.',
        `${schemaNameOf(about)}Changed`,
        { ...versioned, ...acceptsPatch },
        { done: about.example },
      ),
      ...administratorProblems(refusals.patch ?? refusals.change, { 415: acceptsPatch }),
    ],
  });

  const taskAt = (about: Entity, task: Task, place: Place): Operation => {
    const { answers: own, isRead = false, isCreating = false, problems = [] } = task;
    const isOfItem = Object.keys(place.inAddress).length > 0;
    const kinds: readonly ProblemKind[] = isRead
      ? [...refusals.read, ...(isOfItem ? (['not-found'] as const) : [])]
      : [...refusals.change, ...(isCreating ? keyKinds : [])];
    const status = statusOf(task, place);
    const usual = isRead ? { ...noStore, ETag: maybeLike('"12"') } : versioned;
    const headers = place.isOfList ? { ...versioned, Location: like(pathTo(about)) } : usual;
    return {
      ...common,
      ...operation(about, task),
      ...(isRead && Object.keys(place.input.shape).length > 0 && { query: place.input }),
      ...(isRead
        ? task.effect !== '' && { description: task.effect }
        : {
            description: `${task.effect} ${conditional}${isCreating ? ` ${creating}` : ''}`,
            ...(hasBody(about, task, place) && { json: bodyNameOf(about, task) }),
          }),
      answers: [
        own
          ? json(status, own.said ?? 'What was done.', answerNameOf(about, task), headers, {
              done: own.example,
            })
          : json(status, 'What it is now.', `${schemaNameOf(about)}Changed`, headers, {
              done: about.example,
            }),
        ...administratorProblems(
          [...new Set([...kinds, ...(problems as readonly ProblemKind[])])],
          isCreating ? { 409: { 'Retry-After': sometimes() } } : {},
        ),
      ],
    };
  };

  const listOf = (about: Entity): Operation => ({
    ...common,
    id: `${prefix}-list-${about.plural}`,
    summary: about.summaries?.list ?? `List ${about.plural}`,
    description:
      'In the order of their ids if `sort` names no other, as far as the read models know; the filters are those of the command line.',
    query: listQuery(about),
    answers: [
      json(200, 'One page of them.', `${schemaNameOf(about)}List`, noStore, {
        one: { items: [about.example], next: null },
      }),
      ...administratorProblems(refusals.list),
    ],
  });

  const showOf = (about: Entity): Operation => {
    const { name, noun = name, example, summaries } = about;
    return {
      ...common,
      id: `${prefix}-show-${name}`,
      summary: summaries?.show ?? `Show ${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`,
      answers: [
        json(
          200,
          'What it is now.',
          schemaNameOf(about),
          patchInput(about) ? { ...versioned, ...acceptsPatch } : versioned,
          { one: example },
        ),
        ...administratorProblems([...refusals.all, 'event-unreadable', unknownOf(about)]),
      ],
    };
  };

  const patchOf = (about: Entity): Operation | null => {
    const input = patchInput(about);
    if (input === null) return null;
    const effects = about.tasks.filter(({ isProperty }) => isProperty).map(({ effect }) => effect);
    const summary = `Change properties (${about.name})`;
    return change(about, { name: 'change', summary, effect: effects.join(' '), input });
  };

  const partOf = (about: Entity, part: Part): Operation => ({
    ...common,
    id: `${prefix}-list-${part.name}-of-${about.name}`,
    summary: `${about.name} ${part.name}: ${lowered(part.summary)}`,
    query: pageQuery,
    answers: [
      json(200, `It is answered with one page of its ${part.name}.`, schemaNameOf(about, part), noStore, {
        one: { ...about.example, items: [part.example], next: null },
      }),
      ...administratorProblems([...refusals.all, 'event-unreadable', unknownOf(about)]),
    ],
  });

  const paths: Record<string, Partial<Record<Method, Operation>>> = {};
  const add = (url: string, method: Method, described: Operation) =>
    void (paths[url] = { ...paths[url], [method]: described });
  for (const about of entities) {
    add(listAddressOf(about), 'GET', listOf(about));
    add(addressOf(about), 'GET', showOf(about));
    const patched = patchOf(about);
    if (patched) add(addressOf(about), 'PATCH', patched);
    for (const part of about.parts ?? []) add(`${addressOf(about)}/${part.name}`, 'GET', partOf(about, part));
    for (const task of tasksOf(about)) {
      const place = placeOf(about, task);
      add(place.url, place.method, taskAt(about, task, place));
    }
  }
  return paths;
};

const pathTo = (about: Entity): string => `${listAddressOf(about)}/${String(about.example[about.idKey])}`;
