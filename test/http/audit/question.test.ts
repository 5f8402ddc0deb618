import { expect, test } from 'vitest';
import { readQuestion } from '../../../src/http/audit/question.ts';
import { timelineQuery } from '../../../src/http/contracts/audit.ts';
import { namesOf } from '../../../src/http/contracts/parameters.ts';
import { parseParams } from '../../../src/http/requests/params.ts';

const names = namesOf(timelineQuery);
const wrongIn = (query: string, ofForm = false): readonly string[] => {
  const read = readQuestion(parseParams(query), names, { ofForm });
  return read.ok ? [] : read.errors.map(({ parameter }) => parameter);
};

test.each([
  ['addon=x', 'addon'],
  ['addon[]=1', 'addon[]'],
  ['user=01arz3ndektsv4rrffq69g5fav', 'user'],
  ['grant={}', 'grant'],
  ['type=Nothing', 'type'],
  ['type=ProfileRecorded', 'type'],
  ['type=&type=', 'type'],
  ['actor=a%20person', 'actor'],
  ['from=yesterday', 'from'],
  ['from=2026-02-30', 'from'],
  ['to=2026-01-01T25:00:00Z', 'to'],
  ['from=2026-01-02&to=2026-01-01', 'to'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=1e1', 'limit'],
  ['limit=true', 'limit'],
  ['limit=1&limit=1', 'limit'],
  ['after=end', 'after'],
  ['after=null', 'after'],
  ['after=18446744073709551616', 'after'],
  ['before=1/1&after=1/1', 'before'],
  ['before=-1', 'before'],
  ['cursor=1', 'cursor'],
  ['organization=x', 'organization'],
  ['__proto__=1', '__proto__'],
])('AP-11: %s is refused and named', (query, parameter) => {
  expect(wrongIn(query)).toEqual([parameter]);
});

test('AP-11: an empty parameter is refused; of a form it is a field that was left empty', () => {
  for (const name of names) expect([wrongIn(`${name}=`), wrongIn(`${name}=`, true)]).toEqual([[name], []]);
});
