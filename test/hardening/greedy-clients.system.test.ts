import { once } from 'node:events';
import { platform } from 'node:os';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { dataDirOfFile } from '../lifecycle/processes.ts';
import type { Instance } from '../support/servers/instance.ts';
import { askFrom, holdConnections, openFrom, residentMegabytes, startWithFiles } from './greedy-clients.ts';

/** Only Linux has all of 127.0.0.0/8, and /proc. */
const isLinux = platform() === 'linux';

describe.skipIf(!isLinux)('a service that may open 1,024 files', () => {
  const dataDir = dataDirOfFile();

  describe('and runs', () => {
    let service: Instance;
    const ends: (() => Promise<void> | void)[] = [];
    beforeAll(async () => {
      service = await startWithFiles(1_024, { DATA_DIR: dataDir }, (end) => void ends.push(end));
    });
    afterAll(async () => {
      for (const end of ends.toReversed()) await end();
    });

    test('DO-02: 300 clients that ask for the script of /docs again and again and read nothing cost little memory', async () => {
      const page = await askFrom('127.0.0.1', service.baseUrl, '/docs');
      const [, script = ''] = /<script src="([^"]+)"/.exec(page) ?? [];
      expect(await (await fetch(service.baseUrl + script)).text()).toContain('SwaggerUIBundle');
      const before = await residentMegabytes(service.child.pid);
      const sockets = await Promise.all(
        Array.from({ length: 300 }, async () => {
          const socket = await openFrom('127.0.0.2', service.baseUrl);
          socket.pause();
          socket.write(`GET ${script} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(20));
          return socket;
        }),
      );
      onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
      expect(await askFrom('127.0.0.1', service.baseUrl, '/health/live')).toMatch(/^HTTP\/1\.1 200 /);
      // A service that has just started grows by itself; a copy of the script for each client would be 500 MB.
      expect((await residentMegabytes(service.child.pid)) - before).toBeLessThan(200);
    });

    test('DO-01: answers /health/live to any address while one holds 2,000 connections and opens closed ones again', async () => {
      const flood = await holdConnections('127.0.0.2', service.baseUrl, 2_000);
      onTestFinished(flood.end);
      for (let round = 0; round < 10; round += 1)
        for (const address of ['127.0.0.1', '127.0.0.3', '127.0.0.2'])
          expect(await askFrom(address, service.baseUrl, '/health/live')).toMatch(
            /^HTTP\/1\.1 200 [^]*"status":"live"/,
          );
      expect(flood.open()).toBeGreaterThan(500);
      expect(await askFrom('127.0.0.1', service.baseUrl, '/health/ready')).toMatch(/^HTTP\/1\.1 200 /);
    });
  });

  test('DO-03: says that it stops, on its management port, and ends with 0 whatever clients have begun', async () => {
    const { baseUrl, child, output } = await startWithFiles(
      1_024,
      { DATA_DIR: dataDir, MANAGEMENT_PORT: '0', SHUTDOWN_DELAY: '2' },
      onTestFinished,
    );
    const management = /Health and metrics: +(\S+)/.exec(output())?.[1] ?? '';
    const statusOf = async (url: string) => (await fetch(url)).status;
    expect(await statusOf(`${management}/health/ready`)).toBe(200);
    expect(await statusOf(`${management}/metrics`)).toBe(200);
    for (const path of ['/health/ready', '/metrics']) expect(await statusOf(baseUrl + path)).toBe(404);
    for (const origin of [baseUrl, management])
      expect(await (await fetch(`${origin}/health/live`)).json()).toEqual({
        status: 'live',
        version: expect.any(String),
        commit: expect.stringMatching(/^[0-9a-f]{7,40}$/),
      });

    const halves = ['POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf', 'GET / HT', ''];
    for (const said of halves) (await openFrom('127.0.0.1', baseUrl)).write(said);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await expect.poll(() => statusOf(`${management}/health/ready`)).toBe(503);
    const ready = await fetch(`${management}/health/ready`);
    expect(await ready.json()).toMatchObject({ status: 'stopping' });
    const still = await fetch(`${baseUrl}/health/live`);
    expect([still.status, still.headers.get('connection')]).toEqual([200, 'close']);
    expect(await ended).toEqual([0, null]);
  });
});
