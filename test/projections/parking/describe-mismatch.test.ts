import { expect, test } from 'vitest';
import { describeMismatch } from '../../../src/projections/log-guard/compare-with-log.ts';
import type { LogMark } from '../../../src/projections/log-guard/log-marks.ts';
import { positionOf } from '../../support/log/test-projector.ts';

const mark = (n: number): LogMark => ({
  id: `E${n}`,
  stream: 'session-S1',
  revision: BigInt(n),
  position: positionOf(n),
  created: Date.UTC(2026, 0, n),
});
const nothing = { head: positionOf(5), ahead: [], missing: null, held: null, copied: null };

test('an operator learns which checkpoints are ahead of the log, which event is missing, and which one both have', () => {
  const ahead = [
    { name: 'projector', position: positionOf(9) },
    { name: 'fence', position: positionOf(8) },
  ];
  const said = describeMismatch({ ...nothing, ahead, missing: mark(7), held: mark(4) });
  expect(said).toContain('Ahead of its newest event (5): projector (9), fence (8). ');
  expect(said).toContain(
    'Missing from it: event E7, revision 7 of session-S1 at position 7, of 2026-01-07T00:00:00.000Z.',
  );
  expect(said).toContain(
    'The newest event that both are known to have is event E4, revision 4 of session-S1',
  );
  expect(describeMismatch({ ...nothing, head: null, ahead })).toContain('(it has none): projector');
});

test('what nothing is known of is left out', () => {
  const said = describeMismatch(nothing);
  expect(said).not.toMatch(/Ahead of|Missing from|newest event that both/);
  expect(said).toContain('Nothing was changed.');
});

test('a copy of the log is recognized by an event that both have at different places', () => {
  const copied = { position: positionOf(3), created: Date.UTC(2026, 1, 1) };
  const said = describeMismatch({ ...nothing, held: mark(4), copied });
  expect(said).toContain('event E4, revision 4 of session-S1 at position 4');
  expect(said).toContain('was stored there at position 3, at 2026-02-01T00:00:00.000Z');
});
