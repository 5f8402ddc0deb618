import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GrantBar } from '../../../src/audit/timeline/timeline.ts';
import { axisOf, lanesOf, placed, spanOf } from '../../../src/http/audit/bar-geometry.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const hour = 3_600_000;
const now = Date.UTC(2026, 4, 3);
const at = (instant: number) => new Date(instant).toISOString();
const bar = (issued: number, ended: number | null): GrantBar => ({
  grantId: 'g',
  subject: { kind: 'organization', id: 'o', name: null },
  approvedBy: { kind: 'user', id: 'u', name: null },
  addon: { kind: 'addon', id: 'a', name: null },
  scopes: [],
  issuedAt: at(issued),
  redeemedAt: null,
  lastTokenAt: null,
  endedAt: ended === null ? null : at(ended),
  reason: ended === null ? null : 'tokens-expired',
  why: null,
  because: null,
});

test('a picture goes from the first issue to the last end, or to now where a grant goes on', () => {
  const ended = [bar(now - 9 * hour, now - 5 * hour), bar(now - 8 * hour, now - 4 * hour)];
  expect(spanOf(ended, { now })).toEqual({ from: now - 9 * hour, to: now - 4 * hour });
  expect(spanOf([...ended, bar(now - 2 * hour, null)], { now })).toEqual({ from: now - 9 * hour, to: now });
  expect(spanOf(ended, { from: now - 6 * hour, to: now + hour, now })).toEqual({
    from: now - 6 * hour,
    to: now - 4 * hour,
  });
});

test('a bar lies where its times are on the axis, and says where it leaves the picture', () => {
  const span = { from: now - 10 * hour, to: now };
  const whole = placed(bar(span.from, span.to), span, now);
  expect(whole).toEqual({
    left: 1,
    width: 89,
    beganBefore: false,
    goesOn: false,
  });
  const half = placed(bar(now - 5 * hour, null), span, now);
  expect(half.left).toBeCloseTo(whole.left + whole.width / 2);
  expect(half).toMatchObject({ goesOn: true, beganBefore: false });
  expect(placed(bar(now - 20 * hour, now - 5 * hour), span, now)).toMatchObject({
    left: whole.left,
    beganBefore: true,
    goesOn: false,
  });
});

test('no bar leaves the picture, whatever the window and the clock', () => {
  const instant = fc.integer({ min: now - 1e12, max: now + 1e12 });
  const some = fc.array(fc.tuple(instant, fc.option(fc.nat(1e10))), { maxLength: 5 });
  const filters = fc.record({ from: instant, to: instant }, { requiredKeys: [] });
  fc.assert(
    fc.property(some, filters, (lives, asked) => {
      const bars = lives.map(([issued, length]) => bar(issued, length === null ? null : issued + length));
      const span = spanOf(bars, { ...asked, now });
      expect(span.to).toBeGreaterThan(span.from);
      for (const one of bars) {
        const { left, width } = placed(one, span, now);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(width).toBeGreaterThanOrEqual(0);
        expect(left + width).toBeLessThanOrEqual(90.01);
      }
    }),
    propertyRuns(100),
  );
});

const day = 24 * hour;
const ticksOf = (from: number, to: number) => axisOf({ from, to }, now).ticks;
const labels = (from: number, to: number) =>
  ticksOf(from, to).flatMap(({ label }) => (label === null ? [] : [label]));

test('PG-10: the axis has hours, days or months, at most six labels, and says where the present is', () => {
  expect(labels(now - 4 * hour, now)).toEqual(['20:00', '21:00', '22:00', '23:00']);
  expect(labels(now - 3 * day, now)).toEqual(['30 Apr', '1 May', '2 May']);
  expect(labels(now, now + 1_000)).toEqual([]);
  for (const days of [1, 9, 40, 200, 800, 1500, 9000]) {
    expect(labels(now - days * day, now).length).toBeLessThanOrEqual(6);
    expect(ticksOf(now - days * day, now).length).toBeLessThanOrEqual(100);
  }
  expect(axisOf({ from: now - day, to: now }, now).present).toBe(90);
  expect(axisOf({ from: now - 2 * day, to: now - day }, now).present).toBeNull();
});

test('PG-22: a tick each week, on Mondays; years have four digits; labels keep away from "today" and from each other', () => {
  const mondays = ticksOf(now - 75 * day, now);
  expect(mondays).toHaveLength(10);
  const all = axisOf({ from: now - 75 * day, to: now - 5 * day }, now).ticks;
  expect(all.map(({ label }) => label).filter(Boolean)).toEqual([
    '23 Feb',
    '9 Mar',
    '23 Mar',
    '6 Apr',
    '20 Apr',
  ]);
  expect(labels(now - 800 * day, now - 700 * day)).toContain('18 Mar 2024');
  expect(labels(now - 800 * day, now)[0]).toMatch(/^\w{3} 2024$/);
  const { present, ticks } = axisOf({ from: now - 75 * day, to: now }, now);
  for (const { at, label } of ticks) expect(label === null || (present ?? 0) - at > 12).toBe(true);
  const main = mondays.filter(({ label, isMain }) => isMain && label !== null);
  expect(main.length, 'on phones').toBeLessThanOrEqual(2);
});

test('PG-22: grants that do not overlap are in one row, and no bar covers another or its letter', () => {
  const of = (left: number, width: number) => ({ left, width });
  const [early, late, long] = [of(1, 20), of(30, 10), of(5, 80)];
  expect(lanesOf([late, early])).toEqual([[early, late]]);
  expect(lanesOf([early, long, late])).toEqual([[early, late], [long]]);
  const some = fc.array(fc.record({ left: fc.nat(90), width: fc.nat(90) }), { maxLength: 40 });
  fc.assert(
    fc.property(some, (bars) => {
      const lanes = lanesOf(bars);
      expect(lanes.flat()).toHaveLength(bars.length);
      for (const lane of lanes)
        for (const [index, { left, width }] of lane.slice(0, -1).entries())
          expect(left + width + 8).toBeLessThanOrEqual(lane[index + 1]?.left ?? 0);
    }),
    propertyRuns(50),
  );
});
