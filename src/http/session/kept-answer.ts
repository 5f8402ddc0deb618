import type { FastifyReply } from 'fastify';

/** The response of the request that took effect, or was refused. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** In base64. */
  readonly body: string;
  /** The session of the browser before and after: with any other one the response is not for it. */
  readonly sessions: readonly [string, string];
};

export const isEffect = ({ status }: Answer): boolean => status < 400;

/** Only reports of a success are kept; they are much smaller. */
export const isTooLarge = ({ body }: Answer): boolean => body.length > 256 * 1024;

const notKept = new Set(['content-length', 'connection', 'keep-alive', 'date', 'transfer-encoding']);

export const answerOf = (reply: FastifyReply, payload: unknown, sessions: Answer['sessions']): Answer => ({
  sessions,
  status: reply.statusCode,
  headers: Object.fromEntries(
    Object.entries(reply.getHeaders())
      .filter(([name]) => !notKept.has(name))
      .map(([name, value]) => [name, Array.isArray(value) ? [...value] : String(value)]),
  ),
  body: Buffer.from(typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : '').toString(
    'base64',
  ),
});
