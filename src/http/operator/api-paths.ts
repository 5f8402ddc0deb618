import { z } from 'zod';
import { entities } from '../../administration/entities.ts';
import { patchInput } from '../../administration/patch.ts';
import type { Entity, Part, Task } from '../../administration/task.ts';
import { schemaNameOf } from '../contracts/managed.ts';
import type { ParameterTable } from '../contracts/parameters.ts';
import { administratorProblems, administratorRefusals, json } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { always, like, type HeaderUses } from '../openapi/headers.ts';
import type { ProblemKind } from '../answers/problems.ts';

/** What `list` takes besides the filters. */
const pageParameters = z.object({
  limit: z.int().min(1).max(1000).default(50).meta({
    description: 'The maximum number in an answer.',
    'x-allowed': 'a whole number from 1 to 1000',
  }),
  after: z.string().optional().describe('The `next` of the previous answer.'),
});

/** The query of a list without filters. */
export const pageQuery: ParameterTable = pageParameters;

export const listQuery = ({ filters }: Entity): ParameterTable =>
  z.object({ ...filters.shape, ...pageParameters.shape });

const common = {
  tag: 'Administration of the service',
  security: ['administrator-token'],
} as const satisfies Partial<Operation>;

const guards = [...administratorRefusals, 'not-an-operator'] as const;
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

/** The problem for an id that nothing has. */
export const unknownOf = ({ name }: Pick<Entity, 'name'>): ProblemKind => `${name}-unknown` as ProblemKind;

const change = (about: Entity, task: Pick<Task, 'name' | 'summary' | 'effect' | 'input'>): Operation => ({
  ...common,
  id: `operator-${task.name}-${about.name}`,
  summary: `${about.name} ${task.name}: ${task.summary.charAt(0).toLowerCase()}${task.summary.slice(1)}`,
  description: `${task.effect} With \`If-Match\` and an \`ETag\` of before, nothing is done if somebody has changed it since.`,
  json: schemaNameOf(about, task),
  answers: [
    json(200, 'What it is now.', `${schemaNameOf(about)}Changed`, versioned, { done: about.example }),
    ...administratorProblems([...changes, 'changed-meanwhile', unknownOf(about)]),
  ],
});

/** The part of a path that names one of them. */
export const addressOf = ({ plural, idKey }: Entity): string => `/operator/api/${plural}/{${idKey}}`;

const pathsOf = (about: Entity): Paths => {
  const { plural, name, noun = name, example } = about;
  const properties = patchInput(about);
  const list: Operation = {
    ...common,
    id: `operator-list-${plural}`,
    summary: `List ${plural}`,
    description:
      'In the order of their ids, as far as the read models know; the filters are those of the command line.',
    query: listQuery(about),
    answers: [
      json(200, 'One page of them.', `${schemaNameOf(about)}List`, noStore, {
        one: { items: [example], next: null },
      }),
      ...administratorProblems(guards),
    ],
  };
  const show: Operation = {
    ...common,
    id: `operator-show-${name}`,
    summary: `Show ${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`,
    answers: [
      json(200, 'What it is now.', schemaNameOf(about), versioned, { one: example }),
      ...administratorProblems([...guards, 'event-unreadable', unknownOf(about)]),
    ],
  };
  const patched = properties && {
    name: 'change',
    summary: `Change properties (${name})`,
    effect: about.tasks
      .filter(({ isProperty }) => isProperty)
      .map(({ effect }) => effect)
      .join(' '),
    input: properties,
  };
  const listed = (part: Part): Operation => ({
    ...common,
    id: `operator-list-${part.name}-of-${name}`,
    summary: `${name} ${part.name}: ${part.summary.charAt(0).toLowerCase()}${part.summary.slice(1)}`,
    query: pageQuery,
    answers: [
      json(200, `It is answered with one page of its ${part.name}.`, schemaNameOf(about, part), noStore, {
        one: { ...example, items: [part.example], next: null },
      }),
      ...administratorProblems([...guards, 'event-unreadable', unknownOf(about)]),
    ],
  });
  return {
    [`/operator/api/${plural}`]: { GET: list },
    [addressOf(about)]: { GET: show, ...(patched && { PATCH: change(about, patched) }) },
    ...Object.fromEntries(
      (about.parts ?? []).map((part) => [`${addressOf(about)}/${part.name}`, { GET: listed(part) }]),
    ),
    ...Object.fromEntries(
      about.tasks.map((task) => [`${addressOf(about)}/${task.name}`, { POST: change(about, task) }]),
    ),
    ...Object.fromEntries(
      (about.making ?? []).map((task) => [
        `/operator/api/${plural}/${task.name}`,
        { POST: change(about, task) },
      ]),
    ),
  };
};

/** The operators' JSON API: what the command line does, with the same names. */
export const operatorApiPaths: Paths = Object.assign({}, ...entities.map(pathsOf)) as Paths;
