import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { makePush, trusting } from './pushing.ts';

test('SG-08: a receiver that is a second away is reached, also where its other address is not', async () => {
  const listening = `require('node:http').createServer((_, answer) => answer.writeHead(202).end())
    .listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })`;
  const far = spawn(process.execPath, ['-e', listening]);
  onTestFinished(() => void far.kill('SIGKILL'));
  const [said] = (await once(far.stdout, 'data')) as [Buffer];
  const port = Number(said);
  far.kill('SIGSTOP'); // it accepts nothing now: once its queue is full, a packet is lost, and sent again after a second
  const queued = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await delay(200);
  const addresses = ['127.0.0.1', '::1'].map((address, i) => ({ address, family: i === 0 ? 4 : 6 }));
  const { push } = makePush({ guard: { ...trusting(), addressesOf: () => Promise.resolve(addresses) } });
  const pushed = push(`http://far.example:${port}/`);
  await delay(400);
  for (const socket of queued) socket.destroy();
  far.kill('SIGCONT');
  expect(await pushed).toEqual({ error: null });
});
