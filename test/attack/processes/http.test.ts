import { expect, test } from 'vitest';
import { makeClock } from './clock.ts';
import { makeWire, type Sent } from './http.ts';
import { serve } from '../../support/servers/serve.ts';

const sent: Sent = { method: 'GET', path: '/', headers: {} };

test('an answer is noted when its head is there, a lost one as lost, and nobody asks after the end', async () => {
  const origin = await serve((request, reply) => {
    if (request.url === '/lost') request.socket.destroy();
    else reply.end('{"active":true}');
  });
  const clock = makeClock();
  const wire = makeWire(clock);
  wire.connect(0, origin);

  const before = clock();
  const answer = await wire.send(0, sent);
  expect(answer).toMatchObject({ status: 200, body: { active: true } });
  expect([before, answer.began, answer.answered, clock()].every(isLaterThanBefore)).toBe(true);
  expect(await wire.send(0, { ...sent, path: '/lost' })).toMatchObject({ status: null, body: null });

  wire.close();
  await expect(wire.send(0, sent)).rejects.toThrow('not connected');
});

const isLaterThanBefore = (time: number, index: number, all: readonly number[]): boolean =>
  index === 0 || time > (all[index - 1] ?? Infinity);
