import { describe, expect, test } from 'vitest';
import {
  formatTraceparent,
  nextInTrace,
  nextTraceparent,
  parseTraceparent,
} from '../../src/observability/tracing/traceparent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('W3C Trace Context: a traceparent', () => {
  test.each([
    [`00-${traceId}-${spanId}-01`, 1],
    [`00-${traceId}-${spanId}-00`, 0],
    [`00-${traceId}-${spanId}-03`, 3],
    // Flags that nobody has defined yet are not passed on.
    [`00-${traceId}-${spanId}-ff`, 3],
    // A later version begins with what this one has.
    [`cc-${traceId}-${spanId}-01`, 1],
    [`cc-${traceId}-${spanId}-01-what-is-to-come`, 1],
  ])('%s is read', (header, flags) => {
    expect(parseTraceparent(header)).toEqual({ traceId, spanId, flags });
  });

  test.each([
    undefined,
    null,
    7,
    [`00-${traceId}-${spanId}-01`],
    '',
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    `ff-${traceId}-${spanId}-01`,
    `cc-${traceId}-${spanId}-01.more`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId}g-01`,
    `00-${traceId}-${spanId}-1`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01\n`,
    `0-${traceId}-${spanId}-01`,
    `${traceId}-${spanId}`,
  ])('%j is none', (header) => {
    expect(parseTraceparent(header)).toBeNull();
  });

  test('the next in a trace keeps its id and its flags, and is another span', () => {
    const next = nextInTrace({ traceId, spanId, flags: 1 });
    expect(next).toEqual({ traceId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/), flags: 1 });
    expect(next.spanId).not.toBe(spanId);
    expect(formatTraceparent(next)).toBe(`00-${traceId}-${next.spanId}-01`);
  });

  test('a trace that begins here is not sampled, and no two are alike', () => {
    const begun = Array.from({ length: 100 }, () => parseTraceparent(nextTraceparent()));
    expect(new Set(begun.map((trace) => trace?.traceId)).size).toBe(100);
    expect(new Set(begun.map((trace) => trace?.flags))).toEqual(new Set([0]));
  });
});
