import { afterAll, describe, expect, test } from 'vitest';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { parseTraceparent } from '../../../src/observability/tracing/traceparent.ts';
import { realStore, startHttpApp, withoutGrantLimit } from '../../support/scenes/http-app.ts';
import { activate, obtainTokens, postToken, setScene, signedIn } from '../../support/scenes/http-scene.ts';

const hex = (digits: number, value: number) => value.toString(16).padStart(digits, '0');
const traceIdOf = (number: number) => hex(32, 0xabc0 + number);
const traceparent = (number: number, flags = '01') => `00-${traceIdOf(number)}-${hex(16, 7)}-${flags}`;
const traceOf = ({ metadata }: RecordedEvent) => parseTraceparent(metadata.traceparent);

const http = await startHttpApp({ store: await realStore(), around: withoutGrantLimit });
const scene = await setScene(http);
await activate(http, scene);
afterAll(() => http.close());

const everything = async (): Promise<readonly RecordedEvent[]> => {
  const leaving = new AbortController();
  const eventTypes = ['TokensRefreshed', 'SessionStarted', 'AddonDeactivated', 'SessionEnded'] as const;
  const events: RecordedEvent[] = [];
  for await (const message of http.store.subscribe({ after: null, eventTypes, signal: leaving.signal })) {
    if (message.kind === 'caught-up') break;
    if (message.kind === 'event') events.push(message.event);
  }
  leaving.abort();
  return events;
};

const refresh = (token: string, header?: string) =>
  postToken(
    http.app,
    { grant_type: 'refresh_token', client_id: scene.clientId, refresh_token: token },
    header === undefined ? {} : { traceparent: header },
  );

const browser = await signedIn(http, scene);
const newToken = async () => (await obtainTokens(http, scene, { browser })).refresh_token;
const newestRefresh = async () => {
  const newest = (await everything()).findLast(({ event }) => event.type === 'TokensRefreshed');
  if (!newest) throw new Error('nothing was refreshed');
  return newest;
};

describe('the trace of a request', () => {
  test('is continued by its events and its log line, with the request as the span', async () => {
    expect((await refresh(await newToken(), traceparent(1))).statusCode).toBe(200);
    const trace = traceOf(await newestRefresh());
    expect(trace).toMatchObject({ traceId: traceIdOf(1), flags: 1 });
    expect(http.lines.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ path: '/oauth/token', traceId: trace?.traceId, requestId: trace?.spanId }),
    );
  });

  test('begins here where none came, and is not sampled', async () => {
    await refresh(await newToken());
    expect(traceOf(await newestRefresh())).toMatchObject({ flags: 0 });
  });

  test.each([
    'hush-hush-hush',
    `00-${'0'.repeat(32)}-${hex(16, 7)}-01`,
    `${traceparent(2)}, ${traceparent(3)}`,
    `${traceparent(2)}-hush-hush-hush`,
    'é'.repeat(300),
  ])('of a malformed header is a new one, and nothing of the header is kept (%#)', async (header) => {
    const before = http.lines.length;
    const answer = await refresh(await newToken(), header);
    const wrong = await http.app.inject({ url: '/profiles?page=x', headers: { traceparent: header } });
    expect([answer.statusCode, wrong.statusCode]).toEqual([200, 401]);
    const event = await newestRefresh();
    expect(traceOf(event)).not.toBeNull();
    const kept = JSON.stringify([answer.headers, answer.body, wrong.headers, wrong.body, event.metadata]);
    expect(kept + JSON.stringify(http.lines.slice(before))).not.toMatch(/hush-hush|0{20}abc|é/);
  });

  test('is the instance of problem details, with the request in it (marketplace §4)', async () => {
    const asked = { url: '/profiles', headers: { traceparent: traceparent(4) } };
    const [first, second] = [await http.app.inject(asked), await http.app.inject(asked)];
    expect(first.json().instance).toMatch(new RegExp(`^urn:trace:${traceIdOf(4)}:[0-9a-f]{16}$`));
    expect(second.json().instance).not.toBe(first.json().instance);
  });

  test('is not mixed up with those of others that are answered at the same time', async () => {
    const tokens: string[] = [];
    for (let index = 0; index < 8; index += 1) tokens.push(await newToken());
    const before = (await everything()).length;
    const answers = await Promise.all(tokens.map((token, index) => refresh(token, traceparent(100 + index))));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(tokens.map(() => 200));
    const grantOf = new Map(
      (await everything()).slice(before).map((event) => [traceOf(event)?.traceId, event.stream]),
    );
    expect([...grantOf.keys()].toSorted((a = '', b = '') => a.localeCompare(b))).toEqual(
      tokens.map((_, index) => traceIdOf(100 + index)),
    );
    expect(new Set(grantOf.values()).size).toBe(tokens.length);
    // Whose event it is: the new token of an answer is of the stream that has the answer's trace.
    for (const [index, answer] of answers.entries())
      expect((await refresh(answer.json().refresh_token, traceparent(200 + index))).statusCode).toBe(200);
    const again = new Map((await everything()).map((event) => [traceOf(event)?.traceId, event.stream]));
    expect(tokens.map((_, index) => again.get(traceIdOf(200 + index)))).toEqual(
      tokens.map((_, index) => grantOf.get(traceIdOf(100 + index))),
    );
  });

  test('is in what pages and the API append, too', async () => {
    const own = await setScene(http);
    await activate(http, own);
    const theirs = await signedIn(http, own, { headers: { traceparent: traceparent(300) } });
    await http.app.inject({
      method: 'DELETE',
      url: `/organizations/${own.organizationId}/addons/${own.clientId}/activation`,
      headers: { traceparent: traceparent(301) },
      cookies: Object.fromEntries(theirs.cookies),
    });
    await theirs.press(await theirs.get('/sign-out'), 'Sign out');
    const last = (await everything()).slice(-3);
    expect(last.map((event) => [event.event.type, traceOf(event)?.traceId])).toEqual([
      ['SessionStarted', traceIdOf(300)],
      ['AddonDeactivated', traceIdOf(301)],
      ['SessionEnded', traceIdOf(300)],
    ]);
  });
});
