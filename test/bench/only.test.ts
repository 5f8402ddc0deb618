import { expect, test } from 'vitest';
import { choose, groupNames, groups } from '../../bench/only.ts';
import { result } from '../../bench/results.ts';

const all = Object.values(groups)
  .flat()
  .map((name) => result(name, 1, 'per s', 1));
const kept = (only: string) => all.filter((each) => choose(only)?.keeps(each)).map(({ name }) => name);

test('without a choice every group runs', () => {
  expect(choose(undefined)?.groups).toEqual(groupNames);
});

test.each(groupNames)('the group %s runs alone and keeps all of its results', (group) => {
  expect(choose(group)?.groups).toEqual([group]);
  expect(kept(group)).toEqual(expect.arrayContaining([...groups[group]]));
});

test.each([
  ['refresh-64', 'tokens', ['raw-appends-64', 'refresh-64']],
  ['exchange-16-p50', 'tokens', ['raw-appends-16-p50', 'exchange-16-p50']],
  ['exchange-16-p99', 'tokens', ['raw-appends-16', 'exchange-16-p99']],
  ['authorize-16', 'tokens', ['authorize-16']],
  ['list-16', 'lists', ['list-16']],
  ['copy', 'catch-up', ['copy']],
  ['import-again', 'import', ['import-again']],
])('one result, %s, runs the group %s and keeps it and its ceiling', (name, group, names) => {
  expect(choose(name)?.groups).toEqual([group]);
  expect(kept(name)).toEqual(names);
});

test('any other name is refused', () => {
  expect(choose('refresh')).toBeNull();
  expect(choose('')).toBeNull();
});
