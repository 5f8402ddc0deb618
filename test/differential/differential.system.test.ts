import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';
import { differencesOf, holdAgainst, type Difference, type Reviewed } from './compare.ts';
import { edgeRequests } from './edge-requests.ts';
import { explanations } from './explained.ts';
import type { EdgeRequest } from './edge-request.ts';
import { startOurSide } from './our-side.ts';
import type { Outcome } from './outcome.ts';
import { startPeerSide } from './peer-side.ts';
import { makeRunner } from './run.ts';
import type { Side } from './side.ts';
import { summaryOf } from './summary.ts';

const read = (path: string) => readFileSync(join(packageRoot, path), 'utf8');
const reviewed = JSON.parse(read('test/differential/differences.json')) as readonly Reviewed[];

type Pair = { readonly ours: Outcome; readonly theirs: Outcome };

let sides: readonly Side[] = [];
let requests: readonly EdgeRequest[] = [];
const outcomes = new Map<string, Pair>();
let seen: readonly Difference[] = [];

beforeAll(async () => {
  const ours = await startOurSide();
  sides = [ours];
  const theirs = await startPeerSide(ours.clients);
  sides = [ours, theirs];
  requests = edgeRequests(ours.clients);
  const [askUs, askThem] = await Promise.all([ours, theirs].map((side) => makeRunner(side, ours.clients)));
  if (!askUs || !askThem) throw new Error('there are two servers');
  for (const request of requests) {
    const [first, second] = await Promise.all([askUs(request), askThem(request)]);
    outcomes.set(request.id, { ours: first, theirs: second });
  }
  seen = [...outcomes].flatMap(([id, pair]) => differencesOf(id, pair.ours, pair.theirs));
});
afterAll(async () => {
  await Promise.all(sides.map((side) => side.close()));
});

test('hundreds of requests are compared, each under a name of its own', () => {
  expect(requests.length).toBeGreaterThan(600);
  expect(outcomes.size).toBe(requests.length);
});

test('the valid requests among them do what they should at both servers, so that agreeing means something', () => {
  const kinds = (id: string) => {
    const { ours, theirs } = outcomes.get(id) ?? {};
    return [ours, theirs].map(
      (one) => one && `${one.kind} ${one.status} ${one.asks ?? one.error ?? one.scope ?? one.code}`,
    );
  };
  const twice = (text: string) => [text, text];
  expect(kinds('authorize/prompt/absent')).toEqual(twice('redirect 303 yes'));
  expect(kinds('authorize/prompt, signed in/absent')).toEqual(twice('page 200 approval'));
  expect(kinds('authorize/prompt, nobody/absent')).toEqual(twice('page 200 sign-in'));
  expect(kinds('authorize/client-id/missing')).toEqual(twice('page 400 null'));
  expect(kinds('token/code/right')).toEqual(twice('json 200 openid profiles:read'));
  expect(kinds('token/refresh/right')).toEqual(twice('json 200 openid profiles:read'));
  expect(kinds('token/basic/right')).toEqual(twice('json 200 openid profiles:read'));
  expect(kinds('token/code/no code')).toEqual(twice('json 400 invalid_grant'));
});

test('neither server answers any of them with 5xx', () => {
  const failed = [...outcomes].filter(
    ([, { ours, theirs }]) => ours.status.startsWith('5') || theirs.status.startsWith('5'),
  );
  expect(failed.map(([id]) => id)).toEqual([]);
});

test('what differs is what was reviewed', () => {
  expect(holdAgainst(reviewed, seen)).toEqual({ unlisted: [], gone: [], ambiguous: [] });
});

test('every review says why, by which rule and who is right, and cites only requirements that exist', () => {
  const requirements = ['authorization-server', 'marketplace-and-lists', 'found-outside']
    .map((name) => read(`docs/requirements/${name}.md`))
    .join('');
  const isRule = (rule: string) =>
    /^(RFC \d+ (§[\d.]+|Appendix [A-Z])|OIDC Core §[\d.]+|OAuth Multiple Response Types §[\d.]+|RFC 9457)$/.test(
      rule,
    ) ||
    (/^[A-Z]+-?\d+$/.test(rule) && new RegExp(`(^- |\\| )${rule}\\b`, 'm').test(requirements));
  const wrong = reviewed.filter(
    ({ why, by, right }) =>
      why.length < 40 || by.length === 0 || !by.every(isRule) || !['ours', 'theirs', 'both'].includes(right),
  );
  expect(wrong.map(({ name, by }) => `${name}: ${by.filter((rule) => !isRule(rule)).join(', ')}`)).toEqual(
    [],
  );
  expect(new Set(reviewed.map(({ name }) => name)).size).toBe(reviewed.length);
});

test('what the random test lets pass is what was reviewed', () => {
  const names = new Set(reviewed.map(({ name }) => name));
  expect(explanations.map(({ review }) => review).filter((review) => !names.has(review))).toEqual([]);
});

test('test/differential/README.md says what this run has seen', async () => {
  const path = join(packageRoot, 'test/differential/README.md');
  const options = { ...(await resolveConfig(path)), parser: 'markdown' };
  await expect(await format(summaryOf(requests, reviewed, seen), options)).toMatchFileSnapshot(path);
});
