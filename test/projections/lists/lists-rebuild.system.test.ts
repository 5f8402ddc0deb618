import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TokenKeys } from '../../../src/commands/credentials/token-keys.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { GrantSubject } from '../../../src/domain/access/grant.ts';
import type { StreamName } from '../../../src/domain/streams.ts';
import { everyProfile, type Round, stories, type Story } from '../../model/lists-story.ts';
import { listToken } from '../../model/lists-token.ts';
import { makeWorld, pathOf } from '../../model/lists-world.ts';
import { makeCursors } from '../../../src/http/lists/cursor.ts';
import { cursorKeysOf, startHttpApp, type OwnHttpApp } from '../../support/scenes/http-app.ts';
import { testEventStore, type TestEventStore } from '../../support/servers/test-event-store.ts';
import { positionOf } from '../../support/log/test-projector.ts';

/** Links from the story that are followed again afterwards. */
const mostMinted = 400;

const keys: TokenKeys = { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) };

/** What one address is answered with. */
type Answer = {
  readonly status: number;
  readonly body: string;
  readonly link: unknown;
  readonly etag: string;
};
type Asked = { readonly url: string; readonly subject: GrantSubject };

let store: TestEventStore;
let live: OwnHttpApp;
/** Every list that a token may read, and every address that was given out while the story was told. */
let lists: readonly Asked[];
const minted: Asked[] = [];

beforeAll(async () => {
  store = await testEventStore();
  live = await serviceOver(3);
  lists = await tellStories();
  await live.settle();
});
afterAll(async () => {
  await live.close();
  await store.close();
});

/** Over an empty database, at the same address and with the same keys. */
const serviceOver = (batchSize: number): Promise<OwnHttpApp> =>
  startHttpApp({
    keys,
    store: { ...store, close: () => Promise.resolve() },
    projector: { batchSize, lingerMs: 0 },
  });

const servers = new Map<OwnHttpApp, FastifyInstance>();

/** Without the comparison with the OpenAPI document, which other tests make. */
const serverOf = (http: OwnHttpApp): FastifyInstance => {
  const server = servers.get(http) ?? http.another();
  servers.set(http, server);
  return server;
};

const get = async (http: OwnHttpApp, { url, subject }: Asked, ifNoneMatch?: string): Promise<Answer> => {
  const authorization = `Bearer ${listToken(keys, subject)}`;
  const headers = { authorization, ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }) };
  const answer = await serverOf(http).inject({ url: url.replace(http.baseUrl, ''), headers });
  const { link, etag } = answer.headers;
  return { status: answer.statusCode, body: answer.body, link, etag: String(etag) };
};

const cursors = makeCursors(cursorKeysOf(keys));

/** The same without what says when the walk began: its token, which links hand on. */
const timeless = (text: string): string =>
  text
    .replace(/"sync_token":"[\w-]+"/, '"sync_token":""')
    .replace(/cursor=([\w-]+)/g, (_found, cursor: string) => {
      const opened = cursors.decrypt(cursor);
      if (opened.kind !== 'ours') throw new Error('a cursor that is not ours');
      const { sync: _began, ...same } = opened.cursor;
      return `cursor=${inspect(same)}`;
    });
const sameIn = ({ body, link, ...rest }: Answer) => ({
  ...rest,
  body: timeless(body),
  link: timeless(String(link)),
});

type Body = {
  readonly items: readonly { readonly id: string }[];
  readonly _links: readonly { readonly rel: string; readonly href: string }[];
};
const bodyOf = ({ body }: Answer) => JSON.parse(body) as Body;
const linkOf = (answer: Answer, rel: string) => bodyOf(answer)._links.find((link) => link.rel === rel)?.href;

/** Chance may leave every list empty: two lists of several pages, out of which some went, and back to which some came. */
const usual = (['organization', 'user'] as const).map((token): Story => {
  const many = (organization: number, from: number, count: number, there: boolean) =>
    ({ do: 'many', organization, from, count, there }) as const;
  const rounds: readonly Round['writes'][] = [
    [...everyProfile, many(0, 0, 20, true), many(1, 0, 8, true)],
    [
      { do: 'profile', organization: 0, id: 1, user: 1 },
      many(0, 3, 4, false),
      { do: 'profile', organization: 0, id: 1, user: 0 },
      many(0, 2, 3, true),
    ],
    [{ do: 'remove profile', organization: 1, id: 0 }, many(1, 6, 4, true)],
    [{ do: 'profile', organization: 1, id: 0, user: 0 }],
  ];
  const ask = { ask: 'on', page: 1 } as const; // this test asks in its own way
  return { token, kind: 'reservations', perPage: 3, rounds: rounds.map((writes) => ({ writes, ask })) };
});

/** Tells several stories side by side through the real client, and reads all the while. */
const tellStories = async (): Promise<readonly Asked[]> => {
  const some = [...usual, ...fc.sample(stories, 16)];
  const worlds = some.map((story, n) => plan(story, n));
  const rounds = Math.max(...worlds.map(({ planned }) => planned.length));
  for (let round = 0; round < rounds; round += 1) {
    const events = worlds.flatMap(({ planned }) => planned[round] ?? []);
    await Promise.all([append(events), ...worlds.map(({ asked }) => readSomewhere(asked, round))]);
  }
  return worlds.map(({ asked }) => asked);
};

type Told = { readonly stream: StreamName; readonly event: DomainEvent };

const plan = (story: Story, n: number) => {
  let events: Told[] = [];
  const world = makeWorld(`s${n}`, story, (stream, event) => {
    events.push({ stream, event });
    return { id: '', stream, revision: 0n, position: positionOf(0), created: 0, event, metadata: {} };
  });
  const planned = story.rounds.map(({ writes }) => {
    // What comes and goes a hundred times at once is another test's.
    for (const write of writes) world.do(write.do === 'churn' ? { ...write, times: 2 } : write);
    const now = events;
    events = [];
    return now;
  });
  // The story ends with the add-on active, so that there is something to compare.
  if (world.isRefused()) world.do({ do: 'switch', organization: 0 });
  const url = `${live.baseUrl}${pathOf[story.kind]}?page=1&per_page=${story.perPage}`;
  return { planned: [...planned, events], asked: { url, subject: world.subject() } };
};

const revisions = new Map<StreamName, bigint>();

/** Each stream in its order; several at once. */
const append = async (events: readonly Told[]): Promise<void> => {
  const streams = new Map<StreamName, Told[]>();
  for (const told of events) streams.set(told.stream, [...(streams.get(told.stream) ?? []), told]);
  const waiting = [...streams];
  const reader = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [stream, theirs] = next;
      const added = await store.append(stream, revisions.get(stream) ?? 'no-stream', theirs);
      if (!added.ok) throw new Error(`conflict on ${stream}`);
      revisions.set(stream, added.revision);
    }
  };
  await Promise.all(Array.from({ length: 16 }, reader));
};

/** A page by number and one by the last link that was given out for the list, whatever is projected meanwhile. */
const readSomewhere = async (asked: Asked, round: number): Promise<void> => {
  const own = minted.findLast(({ subject }) => JSON.stringify(subject) === JSON.stringify(asked.subject));
  const typed = { ...asked, url: asked.url.replace('page=1', `page=${1 + (round % 3)}`) };
  for (const one of own ? [typed, own] : [typed]) {
    const answer = await get(live, one);
    if (answer.status === 200)
      for (const { href } of bodyOf(answer)._links) minted.push({ ...asked, url: href });
  }
};

/** Every page of a list from its first, by its links. */
const walk = async (http: OwnHttpApp, asked: Asked): Promise<readonly Seen[]> => {
  const pages: Seen[] = [];
  for (let next: Asked | null = asked; next;) {
    const answer = await get(http, next);
    pages.push([next, answer]);
    const href = answer.status === 200 ? linkOf(answer, 'next') : undefined;
    next = href === undefined ? null : { ...asked, url: href };
  }
  return pages;
};

type Seen = readonly [Asked, Answer];

/** Of all pages, by their links and by their numbers, and of links from the middle of the story. */
const seenIn = async (http: OwnHttpApp): Promise<readonly Seen[]> => {
  const walks = (await Promise.all(lists.map((asked) => walk(http, asked)))).flat();
  const typed = walks.map(([{ url, subject }]): Asked => ({ url: url.replace(/&cursor=.*/, ''), subject }));
  const others = [...typed, ...minted.slice(-mostMinted)];
  return [
    ...walks,
    ...(await Promise.all(others.map(async (asked): Promise<Seen> => [asked, await get(http, asked)]))),
  ];
};

describe.each([1000, 7])('built anew in batches of %i', (batchSize) => {
  let rebuilt: OwnHttpApp;
  let seen: readonly Seen[];
  beforeAll(async () => {
    [rebuilt, seen] = await Promise.all([serviceOver(batchSize), seenIn(live)]);
    await rebuilt.settle();
  });
  afterAll(() => rebuilt.close());

  test('every table is as it was', async () => {
    const { checkpoints: _itsOwn, ...tables } = await rebuilt.dump();
    const { checkpoints: _others, ...before } = await live.dump();
    expect(tables).toEqual(before);
    expect(tables['lists']?.length).toBeGreaterThan(usual.length); // of the usual ones alone there are more
  });

  test('LI-02, LI-03: every page is the same to the byte but for when it was asked for, and every link from before works', async () => {
    expect(seen.filter(([, { status }]) => status === 200).length).toBeGreaterThan(lists.length);
    expect(seen.some(([{ url }]) => url.includes('cursor='))).toBe(true);
    for (const [asked, answer] of seen)
      expect([asked.url, sameIn(await get(rebuilt, asked))]).toEqual([asked.url, sameIn(answer)]);
  });

  test('every tag from before is answered 304', async () => {
    for (const [asked, { status, etag }] of seen) {
      if (status !== 200) continue;
      const again = await get(rebuilt, asked, etag);
      expect([asked.url, again.status, again.body, again.etag]).toEqual([asked.url, 304, '', etag]);
    }
  });

  test('LI-03: a walk that began before goes on where it was, each record once', async () => {
    let halves = 0;
    for (const asked of lists) {
      const all = await walk(live, asked);
      const begun = all.slice(0, Math.ceil(all.length / 2));
      const last = begun.at(-1)?.[1];
      const url = last && linkOf(last, 'next');
      if (url === undefined) continue;
      const ids = idsOf([...begun, ...(await walk(rebuilt, { ...asked, url }))]);
      expect(ids).toEqual(idsOf(all));
      expect(new Set(ids).size).toBe(ids.length);
      halves += 1;
    }
    expect(halves).toBeGreaterThan(0);
  });
});

const idsOf = (pages: readonly Seen[]) =>
  pages.flatMap(([, answer]) => bodyOf(answer).items.map(({ id }) => id));
