import { expect, test } from 'vitest';
import { makePollPlaces } from '../../src/signals/poll-places.ts';
import { makePoll, type PolledStream, type PollRequest } from '../../src/signals/poll.ts';
import type { Ending } from '../../src/signals/set-queue.ts';

/** Queues of a stream in memory: of each, the first is offered. */
const scene = (...queues: (readonly string[])[]) => {
  const waiting = queues.map((queue) => [...queue]);
  const ended: Ending[] = [];
  const signed: string[] = [];
  const places = makePollPlaces();
  let stream: PolledStream | { readonly refusal: string } = enabled;
  /** What was known of the stream before it changed. */
  let earlier: PolledStream | { readonly refusal: string } | null = null;
  const judged: string[] = [];
  let judging = Promise.resolve();
  let reads = 0;
  let goes = () => {};
  const poll = makePoll({
    places,
    random: () => 0,
    endSets: (_streamId, endings) => {
      ended.push(...endings);
      for (const { jti } of endings)
        for (const queue of waiting) if (queue.includes(jti)) queue.splice(queue.indexOf(jti), 1);
      return Promise.resolve();
    },
    offered: (_streamId, most) => {
      reads += 1;
      return Promise.resolve(
        waiting
          .flatMap(([jti]) => (jti === undefined ? [] : [{ jti, claims: claimsFor(jti) }]))
          .slice(0, most),
      );
    },
    sign: (addonId, { jti }) => {
      signed.push(jti);
      return Promise.resolve(`${addonId}.${jti}`);
    },
  });
  return {
    places,
    signed,
    ended,
    judged,
    reads: () => reads,
    arrives: (jti: string) => {
      waiting.push([jti]);
      places.wake('s1');
    },
    becomes: (next: typeof stream) => (stream = next),
    becomesUnheard: (next: typeof stream) => ([earlier, stream] = [earlier ?? stream, next]),
    clientGoes: () => goes(),
    judgesAfter: (next: Promise<void>) => void (judging = next),
    poll: (more: Partial<PollRequest> = {}, name = 'a token') =>
      poll(
        { streamId: 's1', maxEvents: null, returnImmediately: false, endings: [], ...more },
        {
          name,
          judge: async (asOf) => {
            judged.push(asOf);
            await judging;
            return asOf === 'lately' && earlier ? earlier : stream;
          },
          whenGone: (leave) => (goes = leave),
        },
      ),
  };
};

const enabled: PolledStream = { addonId: 'a1', status: 'enabled' };
const claimsFor = (jti: string) => ({
  iat: 0,
  txn: jti,
  sub_id: { format: 'opaque' },
  events: { [`urn:${jti}`]: {} },
});
const jtis = (answer: object) =>
  'sets' in answer ? [...(answer.sets as Map<string, string>).keys()] : answer;
const acknowledging = (...ids: readonly string[]): Partial<PollRequest> => ({
  endings: ids.map((jti) => ({ jti, error: null })),
});

test('SG-07: what is offered is answered at once, signed once for several polls', async () => {
  const { poll, signed } = scene(['a', 'b'], ['c']);
  expect(await poll()).toEqual({
    sets: new Map([
      ['a', 'a1.a'],
      ['c', 'a1.c'],
    ]),
    moreAvailable: false,
  });
  expect(jtis(await poll())).toEqual(['a', 'c']);
  expect(signed).toEqual(['a', 'c']);
});

test('SG-06, SG-07: an acknowledgement is done before the next SET of the queue is offered in the same answer', async () => {
  const { poll } = scene(['a', 'b']);
  expect(jtis(await poll(acknowledging('a')))).toEqual(['b']);
});

test('SG-07: maxEvents says how many, moreAvailable that there are more; 0 acknowledges only, and does not wait', async () => {
  const { poll, ended } = scene(['a'], ['b']);
  expect(await poll({ maxEvents: 1 })).toEqual({ sets: new Map([['a', 'a1.a']]), moreAvailable: true });
  expect(await poll({ maxEvents: 0, ...acknowledging('a') })).toEqual({
    sets: new Map(),
    moreAvailable: true,
  });
  expect(await poll({ maxEvents: 0, ...acknowledging('b') })).toEqual({
    sets: new Map(),
    moreAvailable: false,
  });
  expect(ended.map(({ jti }) => jti)).toEqual(['a', 'b']);
});

test('SG-07: a poll waits for what arrives; returnImmediately does not', async () => {
  const { poll, arrives, places } = scene();
  expect(await poll({ returnImmediately: true })).toEqual({ sets: new Map(), moreAvailable: false });
  const waiting = poll();
  await expect.poll(places.count).toBe(1);
  places.wake('s1'); // something that is not for the receiver
  arrives('a');
  expect(jtis(await waiting)).toEqual(['a']);
  expect(places.count()).toBe(0);
});

test('SG-07: a paused stream waits as long, and resuming answers', async () => {
  const { poll, places, becomes } = scene(['a']);
  becomes({ addonId: 'a1', status: 'paused' });
  expect(jtis(await poll({ returnImmediately: true }))).toEqual([]);
  const waiting = poll();
  await expect.poll(places.count).toBe(1);
  becomes({ addonId: 'a1', status: 'enabled' });
  places.wake('s1');
  expect(jtis(await waiting)).toEqual(['a']);
});

test('SG-07: whoever lost the right while the poll waited gets nothing', async () => {
  const { poll, places, becomes, arrives, ended } = scene();
  const waiting = poll();
  await expect.poll(places.count).toBe(1);
  becomes({ refusal: 'token-revoked' });
  arrives('a');
  expect(await waiting).toEqual({ refusal: 'token-revoked' });
  expect(await poll(acknowledging('a'))).toEqual({ refusal: 'token-revoked' });
  expect(ended).toEqual([]);
});

test('SG-07: a poll that only waits asks what was known lately; whatever is ended or given out is judged on the log', async () => {
  const { poll, places, reads, arrives, judged, becomesUnheard, ended } = scene();
  const waiting = poll();
  await expect.poll(reads).toBe(1);
  expect(judged.splice(0)).toEqual(['lately']);
  arrives('a');
  expect(jtis(await waiting)).toEqual(['a']);
  expect(judged.splice(0)).toEqual(['lately', 'now']);
  expect(jtis(await poll({ returnImmediately: true }))).toEqual(['a']);
  expect(judged.splice(0)).toEqual(['now']);
  becomesUnheard({ addonId: 'a1', status: 'paused' });
  const paused = poll();
  await expect.poll(() => judged).toEqual(['lately', 'now']);
  becomesUnheard({ refusal: 'token-revoked' });
  expect(await poll()).toEqual({ refusal: 'token-revoked' });
  expect(await poll(acknowledging('a'))).toEqual({ refusal: 'token-revoked' });
  places.stop();
  expect([jtis(await paused), ended]).toEqual([[], []]);
});

test('SG-07: a client that goes away, and a stop of the service, end the wait', async () => {
  const { poll, places, clientGoes, ended } = scene();
  const waiting = poll();
  await expect.poll(places.count).toBe(1);
  clientGoes();
  expect(jtis(await waiting)).toEqual([]);
  const another = poll();
  await expect.poll(places.count).toBe(1);
  places.stop();
  expect(jtis(await another)).toEqual([]);
  expect([places.count(), ended]).toEqual([0, []]);
});

test('SG-07: 32 tokens are judged at once; polls with one token are judged together, however many are woken', async () => {
  const { poll, places, judged, judgesAfter, reads } = scene();
  const all = Array.from({ length: 1_000 }, () => poll());
  await expect.poll(reads).toBe(1_000);
  judged.length = 0;
  let go = () => {};
  judgesAfter(new Promise((resolve) => (go = resolve)));
  places.wake('s1');
  await expect.poll(() => judged.length).toBe(1_000);
  all.push(...Array.from({ length: 40 }, (_, n) => poll({}, `token ${n}`)));
  await new Promise(setImmediate);
  expect(judged).toHaveLength(1_031);
  go();
  await expect.poll(() => judged.length).toBe(1_040);
  places.stop();
  expect((await Promise.all(all)).flatMap(jtis)).toEqual([]);
});
