import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InputProblem } from '../../tasks/fields.ts';
import type { BeginOnce, First, OneTime } from '../../commands/kernel/begin-once.ts';
import { sendProblem } from '../answers/send-problem.ts';
import type { HttpConfig } from '../base/dependencies.ts';

export type Response = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: object;
};

const secondsToWait = '2';

export const malformedKey: InputProblem = {
  field: 'Idempotency-Key',
  code: 'malformed',
  allowed: '1 to 255 visible ASCII characters, in one header',
};

/** Null without the header. */
export const keyOf = ({ headers }: FastifyRequest): string | null => {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return null;
  return typeof sent === 'string' && /^[\x21-\x7e]{1,255}$/.test(sent) ? sent : 'malformed';
};

/** The same for values that are the same, in whatever order their keys are (FX-55). */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );

/**
 * What a request under a key is answered with: as the first one was, or as `answer` says. A refusal frees the key.
 * @returns null where the key itself was refused: then that is sent
 */
export const makeAnswerOnce =
  ({
    beginOnce,
    browser: { config },
  }: {
    readonly beginOnce: BeginOnce;
    readonly browser: { readonly config: Pick<HttpConfig, 'baseUrl'> };
  }) =>
  async <Refused extends { readonly ok: false }>(
    reply: FastifyReply,
    asked: Extract<OneTime, { readonly key: string }>,
    answer: (begun: First<Response>) => Promise<Response | Refused>,
  ): Promise<Response | Refused | null> => {
    const begun = await beginOnce<Response>(asked);
    if (begun.kind === 'answered') return begun.answer;
    if (begun.kind !== 'first') {
      const isRunning = begun.kind === 'running' && begun.isSame;
      if (isRunning) void reply.header('retry-after', secondsToWait);
      sendProblem(reply, config.baseUrl, isRunning ? 'idempotency-key-running' : 'idempotency-key-reused');
      return null;
    }
    try {
      const made = await answer(begun);
      await ('ok' in made ? begun.refused() : begun.answered(made));
      return made;
    } catch (error) {
      await begun.failed().catch(() => undefined);
      throw error;
    }
  };
