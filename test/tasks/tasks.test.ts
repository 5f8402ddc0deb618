import { addons } from '../../src/tasks/addons.ts';
import { snakeCase } from '../../src/domain/kernel/snake-case.ts';
import { changeFields, changeShape } from '../../src/tasks/addons/addon-changes.ts';
import { unsettable } from '../../src/domain/addons/events.ts';
import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { longestName, nameProblem } from '../../src/domain/kernel/name.ts';
import { entities } from '../../src/tasks/entities.ts';
import { fieldsOf, readInput } from '../../src/tasks/fields.ts';
import { ownAddons } from '../../src/tasks/publishing.ts';
import type { Entity } from '../../src/tasks/task.ts';
import type { CliIo } from '../../src/cli/base/cli-io.ts';
import { detailsText } from '../../src/cli/base/details.ts';
import { makeProgram } from '../../src/cli/run-cli.ts';
import { addressOf, commandOf, placeOf, tasksOf } from '../../src/tasks/places.ts';

const read = (page: string) =>
  readFileSync(join(import.meta.dirname, '../../docs/reference', page), 'utf8').split('\n');
const [commands, paths] = [read('command-line.md'), read('paths.md')];

const listPath = ({ plural }: Entity) => `GET /operator/api/${plural}`;

const taskPaths = (about: Entity) => [
  ...(about.tasks.some(({ isProperty }) => isProperty) ? [`PATCH ${addressOf(about)}`] : []),
  ...tasksOf(about)
    .map((task) => placeOf(about, task))
    .map(({ method, url }) => `${method} ${url}`),
  ...(about.parts ?? []).map(({ name }) => `GET ${addressOf(about)}/${name}`),
];

test('AM-10 to AM-13: docs/reference names every list and every task, and the help its effect', async () => {
  const calls = entities.flatMap((about) => [listPath(about), ...taskPaths(about)]);
  const isNamed = (call: string): boolean => {
    const [method = '', path = ''] = call.split(' ');
    return paths.some((row) => row.startsWith(`| \`${path}\` |`) && row.includes(`\`${method}\``));
  };
  expect(calls.filter((call) => !isNamed(call))).toEqual([]);
  const program = await makeProgram(null, {} as CliIo, () => Promise.resolve());
  const helpOf = (command: string): string => {
    const words = command.split(' ').filter((word) => /^[a-z-]+$/.test(word));
    return detailsText(
      words.reduce<Command>(
        (group, word) => group.commands.find((one) => one.name() === word) ?? group,
        program,
      ),
    );
  };
  const missing = entities.flatMap((about) =>
    [...about.tasks, ...(about.making ?? [])]
      .filter(({ isRead }) => !isRead)
      .map((task) => [commandOf(about, task), task.effect] as const)
      .filter(
        ([command, effect]) =>
          !commands.some((row) => row.startsWith(`- \`${command}`)) ||
          !helpOf(command).includes(`Effect: ${effect}`),
      ),
  );
  expect(missing).toEqual([]);
  const filters = entities.flatMap((about) =>
    fieldsOf(about.filters).map(
      ({ name }) => [`- \`${about.name} list`, `--${name.replaceAll('_', '-')}`] as const,
    ),
  );
  expect(
    filters.filter(
      ([beginning, option]) => !commands.some((row) => row.startsWith(beginning) && row.includes(option)),
    ),
  ).toEqual([]);
});

test('AM-10: every task that changes something says its effect, and every field of its what it is and what is allowed', () => {
  const changing = [...entities, ownAddons].flatMap((about) =>
    [...about.tasks, ...(about.making ?? [])]
      .filter(({ isRead }) => isRead !== true)
      .map((task) => ({ named: `${about.name} ${task.name}`, task })),
  );
  const silent = changing.flatMap(({ named, task }) => [
    ...(/^\p{Lu}.*\.$/u.test(task.effect) ? [] : [`${named}: no effect`]),
    ...fieldsOf(task.input)
      .filter(({ title, name, allowed }) => title === name || allowed === 'something else')
      .map(({ name }) => `${named}: ${name}`),
  ]);
  expect(changing.length).toBeGreaterThan(50);
  expect(silent).toEqual([]);
});

test('AM-12: what an add-on may be without can be set, and removed by null', () => {
  const set = Object.keys(addons.tasks.find(({ name }) => name === 'update')?.input.shape ?? {});
  const removed = Object.keys(addons.declares?.shape ?? {});
  const names = unsettable.map(snakeCase);
  expect(names.filter((name) => !set.includes(name) || !removed.includes(name))).toEqual([]);
});

test('AP-10: a publisher proposes each field that the answer about a proposal has', () => {
  const about = ['change_id', 'state', 'requested_at', 'decided_at', 'reason'];
  const answered = Object.keys(changeShape.shape).filter((name) => !about.includes(name));
  expect(Object.keys(changeFields.shape)).toEqual(answered);
});

test('FX-79: the schema and the error of a name say how long it may be, in characters', () => {
  const named = entities.flatMap((about) =>
    tasksOf(about).flatMap((task) => ('name' in task.input.shape ? [[about, task] as const] : [])),
  );
  expect(named.length).toBeGreaterThan(7);
  for (const [about, { name, input }] of named) {
    const schema = z.toJSONSchema(input, { io: 'input' }).properties?.['name'];
    expect([about.name, name, schema]).toEqual([
      about.name,
      name,
      expect.objectContaining({ maxLength: longestName }),
    ]);
    const problemsOf = (text: string) => {
      const read = readInput(input, { name: text });
      return read.ok ? [] : read.problems.filter(({ field }) => field === 'name');
    };
    for (const letter of ['n', '\u{1F511}']) {
      expect(problemsOf(letter.repeat(longestName))).toEqual([]);
      const [problem] = problemsOf(letter.repeat(longestName + 1));
      expect(problem?.allowed).toContain(`1 to ${longestName} characters`);
      expect(nameProblem(letter.repeat(longestName + 1))).toContain(String(longestName));
    }
  }
});
