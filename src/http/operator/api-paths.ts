import { z } from 'zod';
import { entities } from '../../administration/entities.ts';
import { next, pageFields } from '../../administration/fields.ts';
import { patchInput } from '../../administration/patch.ts';
import type { Entity, Part, Task } from '../../administration/task.ts';
import { addressOf, listAddressOf, placeOf, tasksOf, type Place } from '../../administration/places.ts';
import { answerNameOf, schemaNameOf } from '../contracts/managed.ts';
import type { ParameterTable } from '../contracts/parameters.ts';
import { administratorProblems, administratorRefusals, json } from '../openapi/answers.ts';
import type { Method, Operation, Paths } from '../openapi/describe.ts';
import { always, like, maybeLike, sometimes, type HeaderUses } from '../openapi/headers.ts';
import type { ProblemKind } from '../answers/problems.ts';

export const pageQuery: ParameterTable = pageFields;

/** Of a sorted list `after` says the order, too: `cursorProblem` checks it. */
export const listQuery = ({ filters }: Entity): ParameterTable =>
  z.object({ ...filters.shape, ...pageFields.shape, after: z.string().meta(next).optional() });

const common = {
  tag: 'Administration of the service',
  security: ['administrator-token'],
} as const satisfies Partial<Operation>;

const guards = [...administratorRefusals, 'not-an-operator', 'name-ambiguous'] as const;
const changes = [
  ...guards,
  'malformed-request',
  'too-large',
  'unsupported-media-type',
  'change-refused',
  'event-unreadable',
] as const;

const noStore: HeaderUses = { 'Cache-Control': always('no-store') };
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

const activationKinds = [
  'never-activated',
  'configuration-url-missing',
  'organization-closed',
  'addon-retired',
] as const;

/** The problem for an id that nothing has. */
export const unknownOf = ({ name }: Pick<Entity, 'name'>): ProblemKind => `${name}-unknown` as ProblemKind;

type Described = Pick<Task, 'name' | 'summary' | 'effect'>;

const lowered = (summary: string): string => summary.charAt(0).toLowerCase() + summary.slice(1);

const operationOf = (about: Entity, { name, summary }: Described) => ({
  ...common,
  id: `operator-${name}-${about.name}`,
  summary: `${about.name} ${name}: ${lowered(summary)}`,
});

const conditional =
  'With `If-Match` and an `ETag` of before, nothing is done if somebody has changed it since.';

/** Refusals of tasks that are about something else, too. */
const others: readonly ProblemKind[] = entities.map(unknownOf);

const change = (about: Entity, task: Described & Pick<Task, 'input'>): Operation => ({
  ...operationOf(about, task),
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
    ...administratorProblems([...changes, 'changed-meanwhile', ...others], { 415: acceptsPatch }),
  ],
});

const taskAt = (about: Entity, task: Task, place: Place): Operation => {
  const { answers: own, isRead = false, isCreating = false } = task;
  const described = {
    ...operationOf(about, task),
    ...(!isRead && {
      description: `${task.effect} ${conditional}${isCreating ? ` ${creating}` : ''}`,
      json: schemaNameOf(about, task),
    }),
  };
  const isOfItem = Object.keys(place.inAddress).length > 0;
  const kinds: readonly ProblemKind[] = isRead
    ? [...guards, 'event-unreadable', ...others, ...(isOfItem ? (['not-found'] as const) : [])]
    : [...changes, ...others, ...activationKinds, 'changed-meanwhile', ...(isCreating ? keyKinds : [])];
  const status = place.isOfList ? 201 : 200;
  const usual = isRead ? { ...noStore, ETag: maybeLike('"12"') } : versioned;
  const headers = status === 201 ? { ...versioned, Location: like(pathTo(about)) } : usual;
  return {
    ...described,
    answers: [
      own
        ? json(status, 'What was done.', answerNameOf(about, task), headers, { done: own.example })
        : json(status, 'What it is now.', `${schemaNameOf(about)}Changed`, headers, { done: about.example }),
      ...administratorProblems(
        [...new Set(kinds)],
        isCreating ? { 409: { 'Retry-After': sometimes() } } : {},
      ),
    ],
  };
};

const pathTo = (about: Entity): string => `${listAddressOf(about)}/${String(about.example[about.idKey])}`;

const listOf = (about: Entity): Operation => ({
  ...common,
  id: `operator-list-${about.plural}`,
  summary: `List ${about.plural}`,
  description:
    'In the order of their ids if `sort` names no other, as far as the read models know; the filters are those of the command line.',
  query: listQuery(about),
  answers: [
    json(200, 'One page of them.', `${schemaNameOf(about)}List`, noStore, {
      one: { items: [about.example], next: null },
    }),
    ...administratorProblems(guards),
  ],
});

const showOf = (about: Entity): Operation => {
  const { name, noun = name, example } = about;
  return {
    ...common,
    id: `operator-show-${name}`,
    summary: `Show ${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`,
    answers: [
      json(
        200,
        'What it is now.',
        schemaNameOf(about),
        patchInput(about) ? { ...versioned, ...acceptsPatch } : versioned,
        { one: example },
      ),
      ...administratorProblems([...guards, 'event-unreadable', unknownOf(about)]),
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
  id: `operator-list-${part.name}-of-${about.name}`,
  summary: `${about.name} ${part.name}: ${lowered(part.summary)}`,
  query: pageQuery,
  answers: [
    json(200, `It is answered with one page of its ${part.name}.`, schemaNameOf(about, part), noStore, {
      one: { ...about.example, items: [part.example], next: null },
    }),
    ...administratorProblems([...guards, 'event-unreadable', unknownOf(about)]),
  ],
});

const pathsOf = (about: Entity): Paths => {
  const paths: Record<string, Partial<Record<Method, Operation>>> = {};
  const add = (url: string, method: Method, operation: Operation) =>
    void (paths[url] = { ...paths[url], [method]: operation });
  add(listAddressOf(about), 'GET', listOf(about));
  add(addressOf(about), 'GET', showOf(about));
  const patched = patchOf(about);
  if (patched) add(addressOf(about), 'PATCH', patched);
  for (const part of about.parts ?? []) add(`${addressOf(about)}/${part.name}`, 'GET', partOf(about, part));
  for (const task of tasksOf(about)) {
    const place = placeOf(about, task);
    add(place.url, place.method, taskAt(about, task, place));
  }
  return paths;
};

/** The operators' JSON API: what the command line does, with the same names. */
export const operatorApiPaths: Paths = Object.assign({}, ...entities.map(pathsOf)) as Paths;
