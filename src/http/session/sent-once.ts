import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { SentForms } from '../../projections/working-state/ended-interactions.ts';
import type { HttpLogger } from '../base/dependencies.ts';
import type { Cookies } from './cookies.ts';
import {
  answerOf,
  decryptAnswer,
  encryptAnswer,
  fingerprintOf,
  isEffect,
  type Answer,
  type OneTime,
} from './kept-answer.ts';

/** `used`: another request took effect, and its response is not for this one. `answered`: the first response was sent again. */
export type Admitted = 'first' | 'used' | 'answered';

export type SentOnce = {
  /** Whether a form without a session may be one that ended it, sent again: the browser has the cookie of one that was. No I/O. */
  mayEndSession(request: FastifyRequest): boolean;
  /** Lets the first request act; one that is under way is waited for. */
  admit(request: FastifyRequest, reply: FastifyReply, once: OneTime): Promise<Admitted>;
  /** Keeps the responses of this scope's admitted requests. `before` runs before each handler of a form. */
  watch(
    place: FastifyInstance,
    before: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void;
};

/** In milliseconds: how long a response is kept. */
const kept = 10 * 60_000;

/** What the first request sent, and its response. Null: ask again. */
type Outcome = { readonly fingerprint: Buffer; readonly answer: Answer } | null;
type UnderWay = {
  readonly once: OneTime;
  readonly fingerprint: Buffer;
  readonly end: (outcome: Outcome) => void;
};
type Dependencies = {
  readonly sentForms: SentForms;
  readonly cookies: Pick<Cookies, 'session' | 'sessionId' | 'sessionIdAfter'>;
  readonly isSessionCookie: (cookie: string) => boolean;
  readonly formPatience?: number;
  readonly now: () => Instant;
  readonly logger: Pick<HttpLogger, 'warn'>;
};

/**
 * One claim in the database decides which request acts, on whichever instance. Its response is kept if it reports an
 * effect; a refused form can be sent again with other values. Requests of one instance wait in memory.
 */
export const makeSentOnce = ({
  sentForms,
  cookies,
  isSessionCookie,
  formPatience = 15_000,
  now,
  logger,
}: Dependencies): SentOnce => {
  const underWay = new Map<string, Promise<Outcome>>();
  const acting = new WeakMap<FastifyRequest, UnderWay>();

  const begin = (once: OneTime): UnderWay => {
    let resolve: (outcome: Outcome) => void = () => undefined;
    underWay.set(once.id, new Promise((settle) => (resolve = settle)));
    const end = (outcome: Outcome) => {
      underWay.delete(once.id);
      resolve(outcome);
    };
    return { once, fingerprint: fingerprintOf(once), end };
  };

  /** By the row of the form; null when the first request has had no response for too long, or its response is gone. */
  const claim = async (
    request: FastifyRequest,
    { once, fingerprint }: UnderWay,
    until: number,
  ): Promise<'first' | Outcome> => {
    for (let wait = 25; ; wait = Math.min(2 * wait, 400)) {
      const found = await sentForms
        .claim(once.id, fingerprint, once.expiresAt, now())
        .catch((err: unknown) => {
          if (wait > 25) throw err;
          // Most forms cannot take effect without the database; those that can are not protected then.
          logger.warn({ err, requestId: request.id }, 'a form could not be marked as sent');
          return 'first' as const;
        });
      if (found === 'first') return found;
      if (typeof found === 'object') {
        const answer = decryptAnswer(once, found.response);
        return answer && { fingerprint: Buffer.from(found.fingerprint), answer };
      }
      if (found === 'over' || performance.now() > until) return null;
      await setTimeout(wait);
    }
  };

  const act = async (request: FastifyRequest, mine: UnderWay, until: number): Promise<'first' | Outcome> => {
    let found: 'first' | Outcome = null;
    try {
      return (found = await claim(request, mine, until));
    } finally {
      if (found === 'first') acting.set(request, mine);
      else mine.end(found);
    }
  };

  const admit: SentOnce['admit'] = async (request, reply, once) => {
    const until = performance.now() + formPatience;
    for (;;) {
      const other = underWay.get(once.id);
      const found = other
        ? await withTimeoutOrNull(until - performance.now(), other)
        : await act(request, begin(once), until);
      if (found === 'first') return 'first';
      if (found === null && (!other || performance.now() >= until)) return 'used';
      if (found === null) continue;
      const { fingerprint, answer } = found;
      const isSame = fingerprint.equals(fingerprintOf(once));
      if (isSame && answer.sessions.includes(cookies.sessionId(request))) {
        void reply.code(answer.status).headers(answer.headers).send(Buffer.from(answer.body, 'base64'));
        return 'answered';
      }
      if (isEffect(answer)) return 'used';
    }
  };

  const store = ({ once, fingerprint }: UnderWay, answer: Answer): Promise<void> =>
    isEffect(answer)
      ? sentForms.keep(once.id, { fingerprint, response: encryptAnswer(once, answer) }, now() + kept)
      : sentForms.release(once.id);

  const keep: onSendHookHandler = (request, reply, payload, done) => {
    const mine = acting.get(request);
    if (mine) {
      acting.delete(request);
      const answer = answerOf(reply, payload, [cookies.sessionId(request), cookies.sessionIdAfter(reply)]);
      mine.end({ fingerprint: mine.fingerprint, answer });
      store(mine, answer).catch((err: unknown) =>
        logger.warn({ err, requestId: request.id }, 'the response to a form could not be kept'),
      );
    }
    done(null, payload);
  };

  return {
    mayEndSession: (request) => isSessionCookie(cookies.session(request)),
    admit,
    watch: (place, before) =>
      void place.addHook('onRoute', (route) => {
        route.onSend = keep; // after the hooks of all scopes: the answer is complete
        if (route.method === 'POST') route.preHandler = before;
      }),
  };
};
