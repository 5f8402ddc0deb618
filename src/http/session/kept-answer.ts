import { createHash, createHmac } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { decrypt, encrypt } from '../../common/aes-gcm.ts';
import type { Instant } from '../../domain/kernel/decision.ts';

/** Something that takes effect once. */
export type OneTime = {
  readonly id: string;
  /** Known only to who may receive the response again: it is encrypted under a key made of this. */
  readonly secret: string;
  /** Everything that was sent: only the same request receives the first response. */
  readonly sent: string;
  readonly expiresAt: Instant;
};

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

const macOf = ({ secret }: OneTime, text: string): Buffer =>
  createHmac('sha256', secret).update(text).digest();

/** The id of a form: of one page that was shown, and of the address that the form is sent to. */
export const idOfForm = (url: string, secret: string): string =>
  `form ${createHash('sha256').update(`${url}\n${secret}`).digest('base64url')}`;

/** Says nothing about what was sent to anybody who does not know the form. */
export const fingerprintOf = (once: OneTime): Buffer => macOf(once, `sent\n${once.sent}`);

const keyOf = (once: OneTime): Buffer => macOf(once, 'response');

/** In bytes. Only reports of a success are kept; they are much smaller. */
const largest = 256 * 1024;

/** Empty when it is too large. */
export const encryptAnswer = (once: OneTime, answer: Answer): Buffer => {
  const plain = Buffer.from(JSON.stringify(answer));
  return plain.length > largest ? Buffer.alloc(0) : encrypt(keyOf(once), once.id, plain);
};

export const decryptAnswer = (once: OneTime, response: Uint8Array): Answer | null => {
  const plain = decrypt(keyOf(once), once.id, response);
  return plain && (JSON.parse(plain.toString()) as Answer);
};

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
