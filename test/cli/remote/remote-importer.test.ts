import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { makeApi } from '../../../src/cli/remote/network.ts';
import { importerOver } from '../../../src/cli/import/importer.ts';
import { noCounts } from '../../../src/kafka/import/tally.ts';
import { profile } from '../../../src/domain/records/profile.ts';

type Answer = (response: ServerResponse) => void;

const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const stored = json(200, { ...noCounts, lines: 500, added: 500, position: '7/7' });
const problem = (status: number, wait?: string) =>
  json(
    status,
    { type: 'https://x/temporarily-unavailable', title: 'Away', status },
    wait ? { 'retry-after': wait } : {},
  );
const html =
  (status: number): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
const cut: Answer = (response) => void response.destroy();

/** A service that gives these answers, and the last one from then on; time passes only in pauses. */
const importing = async (answers: readonly Answer[], lines = 1_000) => {
  let asked = 0;
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    request.resume().on('end', () => {
      (answers[Math.min(asked, answers.length - 1)] ?? cut)(response);
      asked += 1;
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const api = makeApi({
    server: { url: `http://127.0.0.1:${port}` },
    token: 't',
    signal: new AbortController().signal,
  });
  let now = 0;
  const waits: number[] = [];
  const reasons: string[] = [];
  const importer = importerOver(api, {
    now: () => now,
    pause: (ms) => {
      now += ms;
      waits.push(ms / 1000);
      return Promise.resolve();
    },
  });
  const result = await importer.run({
    resource: profile,
    organizationId: 'o',
    input: Readable.from([Buffer.from('{}\n'.repeat(lines))]),
    onProgress: () => undefined,
    onFailure: () => undefined,
    onWait: (why) => void reasons.push(why),
  });
  return { importer, result, waits, reasons, keys, asked: () => asked };
};

test('FX-77: an import over the API waits as long as Retry-After says, on 429 and 503, and goes on', async () => {
  const { result, waits, asked } = await importing([stored, problem(429, '7'), problem(503, '20'), stored]);
  expect(result).toMatchObject({ counts: { lines: 1_000, added: 1_000 }, position: { commit: 7n } });
  expect(result.stopped).toBeUndefined();
  expect([waits, asked()]).toEqual([[7, 20], 4]);
});

test('FX-77: it waits for a proxy without a service behind it, and for a connection that breaks, with growing pauses', async () => {
  const { result, waits, reasons } = await importing([html(502), html(504), cut, problem(502), stored]);
  expect(result.counts.added).toBe(1_000);
  expect(waits).toEqual([1, 2, 4, 8]);
  expect(reasons).toEqual([
    expect.stringContaining('answers 502'),
    expect.stringContaining('answers 504'),
    expect.stringContaining('cannot be reached'),
    'away',
  ]);
});

test('FX-77: after ten minutes without progress it gives up, and reports what was stored', async () => {
  const { importer, result, waits } = await importing([stored, html(502)]);
  expect(result).toMatchObject({ counts: { lines: 500, added: 500 }, stopped: { atLine: 501 } });
  const waited = waits.reduce((sum, each) => sum + each, 0);
  expect([waited <= 600, waited > 560]).toEqual([true, true]);
  const waiting = { signal: new AbortController().signal, onHeadway: () => undefined };
  expect(await importer.isVisible(result, waiting)).toBe(false);
});

test('FX-77, FX-106: each batch has a key of its own, under which it is sent again, also while an earlier try goes on', async () => {
  const running = json(409, { type: 'x/idempotency-key-running', title: 'Running' }, { 'retry-after': '2' });
  const { result, waits, keys } = await importing([cut, running, running, stored]);
  expect([result.counts.added, waits]).toEqual([1_000, [1, 2, 2]]);
  expect(keys).toHaveLength(5);
  expect(new Set(keys.slice(0, 4)).size).toBe(1);
  expect(new Set(keys).size).toBe(2);
  expect(keys).not.toContain(undefined);
  const other = await importing([stored]);
  expect(keys).not.toContain(other.keys[0]);
});

test('FX-77: progress begins the ten minutes anew, and a longer Retry-After than is left is not waited for', async () => {
  const { result, waits } = await importing([
    problem(503, '400'),
    stored,
    problem(503, '400'),
    problem(503, '400'),
  ]);
  expect(waits).toEqual([400, 400]);
  expect(result).toMatchObject({ counts: { lines: 500 }, stopped: { atLine: 501 } });
});

test('FX-77: what waiting does not change is not tried again', async () => {
  const { result, waits } = await importing([json(413, { type: 'x/too-large', title: 'Too large' })]);
  expect([waits, result.stopped?.atLine]).toEqual([[], 1]);
});

test('FX-77: a port that refuses connections is waited for', async () => {
  const api = makeApi({
    server: { url: 'http://127.0.0.1:1' },
    token: 't',
    signal: new AbortController().signal,
  });
  let now = 0;
  const importer = importerOver(api, { now: () => now, pause: (ms) => Promise.resolve(void (now += ms)) });
  const { stopped } = await importer.run({
    resource: profile,
    organizationId: 'o',
    input: Readable.from([Buffer.from('{}\n')]),
    onProgress: () => undefined,
    onFailure: () => undefined,
    onWait: () => undefined,
  });
  expect([now > 560_000, stopped?.cause]).toEqual([true, expect.objectContaining({ retryAfter: null })]);
});
