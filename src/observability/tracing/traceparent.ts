import { drawBytes } from '../../common/random.ts';

/** A place in a trace, as defined by W3C Trace Context. */
export type TraceContext = {
  /** 32 lower-case hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** 16 of them: the request, run or reaction that acts in the trace. */
  readonly spanId: string;
  /** Of the whole trace: set by its root (`sampled`, 01), or by how the trace id was made (`random`, 02). */
  readonly flags: number;
};

/** The fields of version 00, with which later versions begin: more may only follow after another dash. */
const format = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/s;
const passedOn = 0x03;

/** Null for anything malformed, which counts as absent (§3.2): the request itself is still valid. */
export const parseTraceparent = (header: unknown): TraceContext | null => {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    (typeof header === 'string' && format.exec(header)) || [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & passedOn };
};

/** Always of version 00, the only one there is. */
export const formatTraceparent = ({ traceId, spanId, flags }: TraceContext): string =>
  `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;

/** The next span, or a trace's first, which is not `sampled` without OpenTelemetry: it is stored nowhere. `tracestate` may be left out (§3.3.1.2). */
export const nextInTrace = (cause: TraceContext | null, spanId = newSpanId()): TraceContext =>
  cause ? { ...cause, spanId } : { traceId: drawBytes(16).toString('hex'), spanId, flags: 0 };

/** As a header: for an event or a run of the command line. */
export const nextTraceparent = (cause?: string): string =>
  formatTraceparent(nextInTrace(parseTraceparent(cause)));

const newSpanId = (): string => drawBytes(8).toString('hex');
