import { expect, test } from 'vitest';
import { makeTrust, statusesOf } from '../../src/observability/readiness/worker-statuses.ts';

test.each([
  { fence: true, log: true, accepted: true },
  { fence: true, log: false, accepted: false },
  { fence: false, log: true, accepted: false },
])('RS-02: fence current: $fence, log the same: $log; tokens accepted: $accepted', (known) => {
  const trust = makeTrust({
    fence: { trusted: () => known.fence },
    log: { agrees: () => known.log },
    database: { current: () => 2 },
  });
  expect(trust.trusted()).toBe(known.accepted);
  expect(trust.facts()).toEqual({ accepted: known.accepted, logAgrees: known.log, databases: 2 });
});

test('workers say how they are under their names, in their order, whenever they are asked', () => {
  let role: 'standby' | 'leading' = 'standby';
  const worker = {
    status: () => ({ role, healthy: true, caughtUp: false, position: null, stuckAt: null }),
  };
  const workers = { projector: worker, history: worker };
  expect(Object.keys(statusesOf(workers))).toEqual(['projector', 'history']);
  role = 'leading';
  expect(statusesOf(workers)).toMatchObject({ projector: { role: 'leading' }, history: { role: 'leading' } });
});
