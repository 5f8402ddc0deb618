import { writeSync } from 'node:fs';
import type { RelayPoint } from '../../../../../src/kafka/relay/relay.ts';
import { openRelay, type RelayGround } from '../open-relay.ts';

/**
 * A relay in a process of its own that sends itself a signal when it comes to a labelled point for the `nth` time. Says
 * `there` before it does, and `stepped down` when it leads no more.
 */
type Orders = {
  readonly ground: RelayGround;
  readonly point: RelayPoint;
  readonly nth: number;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
};

const { ground, point, nth, signal } = JSON.parse(process.argv[2] ?? '') as Orders;
let left = nth;
const relay = openRelay(ground, {
  batchSize: 20,
  deaf: signal === 'SIGSTOP',
  leadership: { pollMs: 20, silenceMs: 700, heartbeatMs: 100 },
  at: (reached) => {
    if (reached !== point || --left !== 0) return;
    writeSync(1, 'there\n');
    process.kill(process.pid, signal);
    const until = performance.now() + 20;
    while (performance.now() < until); // nothing more is done here before it takes effect
  },
});
let led = false;
setInterval(() => {
  const leads = relay.status().role === 'leading';
  if (led && !leads) writeSync(1, 'stepped down\n');
  led = leads;
}, 10);
