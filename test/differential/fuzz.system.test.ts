import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changed, type EdgeRequest, type Pairs } from './edge-request.ts';
import { explanationOf } from './explained.ts';
import { mutate, mutation } from './mutations.ts';
import { startOurSide } from './our-side.ts';
import type { Outcome } from './outcome.ts';
import { startPeerSide } from './peer-side.ts';
import { authorizeBase, exchangeBase, refreshBase } from './prepare.ts';
import { makeRunner } from './run.ts';
import type { Clients } from './clients.ts';
import type { Side } from './side.ts';
import { form } from './visitor.ts';
import { isRelease } from '../support/tiers.ts';

const numRuns = Number(process.env['GRANTBOOK_FUZZ_RUNS'] ?? (isRelease ? 250 : 100));

/** All that is compared here: what kind of answer, and in which hundred. */
const classOf = ({ kind, status, asks }: Outcome): string =>
  `${kind} ${kind === 'page' && asks ? 'that asks' : `${status[0]}xx`}`;

let sides: readonly Side[] = [];
let clients: Clients;
let runners: readonly ((request: EdgeRequest) => Promise<Outcome>)[] = [];
const explained = new Map<string, number>();

/** Sends a request to both. @returns what is wrong about the answers, or null */
const compare = async (request: EdgeRequest, sent: Pairs): Promise<string | null> => {
  const [ours, theirs] = await Promise.all(runners.map((run) => run(request)));
  if (!ours || !theirs) throw new Error('there are two servers');
  const classes = [classOf(ours), classOf(theirs)].join(' | ');
  if (classes.includes('5xx')) return classes;
  if (classOf(ours) === classOf(theirs)) return null;
  const why = explanationOf(
    request.endpoint,
    new URLSearchParams(sent.map(([name, value]) => [name, value])),
  );
  if (why === null) return classes;
  explained.set(why, (explained.get(why) ?? 0) + 1);
  return null;
};

const blank = { query: [], headers: {}, goal: 'first-page', given: null, after: 0, method: 'GET' } as const;

const authorize = (browser: 'nobody' | 'approved') => ({
  base: () => changed(authorizeBase(clients.web)),
  request: (query: Pairs): EdgeRequest => ({ ...blank, id: 'fuzz', endpoint: 'authorize', browser, query }),
});

const token = (base: typeof exchangeBase, made: 'code' | 'tokens') => ({
  base: () => changed(base(clients.web)),
  request: (body: Pairs): EdgeRequest => ({
    ...blank,
    id: 'fuzz',
    endpoint: 'token',
    browser: 'nobody',
    method: 'POST',
    headers: { 'content-type': form },
    given: { made, by: 'web' },
    body,
  }),
});

/** What stands for a code or a token, as `{code}`, is filled in only later: harmed itself, it stands for nothing. */
const areNamesWhole = (pairs: Pairs): boolean =>
  pairs.every(([, value]) => !/\{[^{}]+\}/.test(value) || /\{(?:code|refresh_token)\}/.test(value));

describe(`requests harmed at random (${numRuns} each)`, () => {
  beforeAll(async () => {
    const ours = await startOurSide();
    sides = [ours];
    const theirs = await startPeerSide(ours.clients);
    sides = [ours, theirs];
    clients = ours.clients;
    runners = await Promise.all(sides.map((side) => makeRunner(side, clients)));
  });
  afterAll(async () => {
    const counts = [...explained].map(([name, count]) => `${count} × ${name}`);
    process.stderr.write(`explained by what was reviewed: ${counts.join(', ') || 'nothing'}\n`);
    await Promise.all(sides.map((side) => side.close()));
  });

  test.each([
    ['authorize, approved', authorize('approved')],
    ['authorize, nobody', authorize('nobody')],
    ['exchange', token(exchangeBase, 'code')],
    ['refresh', token(refreshBase, 'tokens')],
  ] as const)('%s: no 5xx, and the same class of answer but for a reviewed reason', async (_name, kind) => {
    const property = fc.asyncProperty(
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      async (mutations) => {
        const pairs = mutate(kind.base(), mutations);
        fc.pre(areNamesWhole(pairs));
        const wrong = await compare(kind.request(pairs), pairs);
        if (wrong !== null) throw new Error(`${wrong}: ${JSON.stringify(pairs)}`);
      },
    );
    await expect(fc.assert(property, { numRuns })).resolves.toBeUndefined();
  });
});
