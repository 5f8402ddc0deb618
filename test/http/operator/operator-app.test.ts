import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { buildOperatorApp } from '../../../src/http/operator/operator-app.ts';
import type { OperatorApiDependencies } from '../../../src/http/operator/dependencies.ts';

const holder = { userId: 'olga', name: 'Olga', roles: ['operator'], sessionId: null, tokenId: null };

/** The API in this process, with this export. */
const exporting = async (lines: AsyncIterable<string>) => {
  const failures: unknown[] = [];
  const app = buildOperatorApp(
    {
      audits: { export: () => Promise.resolve(lines) },
      browser: { config: { baseUrl: 'https://auth.example' }, now: () => 0 },
      commands: {
        readOperatorToken: () => Promise.resolve({ ok: true, value: { ...holder, expiresAt: null } }),
      },
    } as unknown as OperatorApiDependencies,
    (error) => void failures.push(error),
  );
  const answer = await app.inject({
    url: '/operator/api/audit/export',
    headers: { authorization: 'Bearer here' },
    payloadAsStream: true,
  });
  return { status: answer.statusCode, body: answer.stream(), failures };
};

test('an export is a stream also in the process of a command: no more is read than is taken', async () => {
  let read = 0;
  async function* lines() {
    for (; read < 1_000; read += 1) yield await Promise.resolve('x'.repeat(10_000));
  }
  const { status, body } = await exporting(lines());
  const pieces = body.iterator({ destroyOnReturn: false });
  const first = (await pieces.next()).value as Buffer;
  for (let turns = 0; turns < 200; turns += 1) await turn();
  expect([status, first.toString().startsWith('xxx')]).toEqual([200, true]);
  expect(read).toBeLessThan(100);
  let bytes = first.length;
  for await (const piece of pieces as AsyncIterable<Buffer>) bytes += piece.length;
  expect(bytes).toBe(10_000_000);
});

test('what ends an export early is told, and it does not look complete', async () => {
  const why = new Error('the log ends here');
  async function* lines() {
    yield await Promise.resolve('{}\n');
    throw why;
  }
  const { body, failures } = await exporting(lines());
  await expect(body.toArray()).rejects.toThrow('response destroyed before completion');
  expect(failures).toEqual([why]);
});
