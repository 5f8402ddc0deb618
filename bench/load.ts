import autocannon from 'autocannon';

/** The result of a load run. Latencies in milliseconds. */
export type Load = {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly n: number;
};

export type Step = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** Called for each request; replaces `headers`. */
  readonly freshHeaders?: () => Record<string, string>;
  /** Called for each request. */
  readonly body?: () => string;
  /** Called with each answer; a load run fails unless all answers have the status `expect`. */
  readonly answered?: (status: number, body: string, headers: Record<string, string>) => void;
};

/**
 * Keeps `inFlight` requests open on keep-alive connections until `amount` were answered or `seconds` have passed.
 * @throws if an answer had another status than `expect`, or a connection failed: a fast wrong answer is no result
 */
export const load = async (options: {
  readonly baseUrl: string;
  readonly inFlight: number;
  readonly seconds?: number;
  readonly amount?: number;
  readonly expect: number;
  readonly step: Step;
}): Promise<Load> => {
  const { baseUrl, inFlight, seconds, amount, expect, step } = options;
  const wrong: string[] = [];
  const began = performance.now();
  let lastAnswer = began;
  const run = await autocannon({
    url: baseUrl,
    connections: inFlight,
    timeout: 60, // in seconds: on a busy machine, a late answer is an answer
    sampleInt: 20, // it ends a run at the end of a sample; a second would be the default
    ...(amount === undefined ? { duration: seconds ?? 5 } : { amount }),
    requests: [
      {
        method: step.method,
        path: step.path,
        headers: step.headers ?? {},
        setupRequest: (request) => ({
          ...request,
          ...(step.freshHeaders && { headers: step.freshHeaders() }),
          ...(step.body && { body: step.body() }),
        }),
        onResponse: (status, body, _context, headers) => {
          lastAnswer = performance.now();
          if (status !== expect && wrong.length < 3) wrong.push(`${status} ${body.slice(0, 200)}`);
          step.answered?.(status, body, headers as Record<string, string>);
        },
      },
    ],
  });
  if (wrong.length > 0 || run.errors > 0)
    throw new Error(
      `${step.method} ${step.path}: ${run.errors} connection errors; answers such as ${wrong.join(' | ')}`,
    );
  return {
    perSecond: run.requests.total / ((lastAnswer - began) / 1000),
    p50: run.latency.p50,
    p99: run.latency.p99,
    n: run.requests.total,
  };
};
