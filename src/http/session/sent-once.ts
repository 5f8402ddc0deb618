import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { BeginOnce, First, OneTime as AnyOneTime } from '../../commands/kernel/begin-once.ts';
import type { HttpLogger } from '../base/dependencies.ts';
import type { Cookies } from './cookies.ts';
import { answerOf, isEffect, isTooLarge, type Answer } from './kept-answer.ts';

/** A form, or a redirect that a browser may follow twice. */
export type OneTime = Extract<AnyOneTime, { readonly secret: string }>;

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

/** What the first request sent, and its response. Null: ask again. */
type Outcome = (Pick<OneTime, 'sent'> & { readonly answer: Answer }) | null;
type UnderWay = Pick<First<Answer>, 'answered' | 'refused'> & { readonly end: (outcome: Outcome) => void };
type Dependencies = {
  readonly beginOnce: BeginOnce;
  readonly cookies: Pick<Cookies, 'session' | 'sessionId' | 'sessionIdAfter'>;
  readonly isSessionCookie: (cookie: string) => boolean;
  readonly formPatience?: number;
  readonly logger: Pick<HttpLogger, 'warn'>;
};

/** Of a form that the database could not be asked about. */
const nothing = () => Promise.resolve();
const notKept = { kind: 'first', answered: nothing, refused: nothing } as const;

/**
 * One claim in the database decides which request acts, on whichever instance. Its response is kept if it reports an
 * effect; a refused form can be sent again with other values. Requests of one instance wait in memory.
 */
export const makeSentOnce = ({
  beginOnce,
  cookies,
  isSessionCookie,
  formPatience = 15_000,
  logger,
}: Dependencies): SentOnce => {
  const underWay = new Map<string, Promise<Outcome>>();
  const acting = new WeakMap<FastifyRequest, UnderWay & Pick<OneTime, 'sent'>>();

  /** Waits for a request on another instance, at most so long. */
  const begin = async (request: FastifyRequest, once: OneTime, until: number) => {
    for (let wait = 25; ; wait = Math.min(2 * wait, 400)) {
      const begun = await beginOnce<Answer>(once).catch((err: unknown) => {
        if (wait > 25) throw err;
        // Most forms cannot take effect without the database; those that can are not protected then.
        logger.warn({ err, requestId: request.id }, 'a form could not be marked as sent');
        return notKept;
      });
      if (begun.kind !== 'running' || performance.now() > until) return begun;
      await setTimeout(wait);
    }
  };

  const act = async (request: FastifyRequest, once: OneTime, until: number): Promise<'first' | Outcome> => {
    let end: UnderWay['end'] = () => undefined;
    const ended = new Promise<Outcome>((resolve) => (end = resolve)).finally(() => underWay.delete(once.id));
    underWay.set(once.id, ended);
    const begun = await begin(request, once, until).catch((error: unknown) => {
      end(null);
      throw error;
    });
    if (begun.kind === 'first') {
      acting.set(request, { ...begun, sent: once.sent, end });
      return 'first';
    }
    const outcome = begun.kind === 'answered' ? { sent: once.sent, answer: begun.answer } : null;
    end(outcome);
    return outcome;
  };

  const admit: SentOnce['admit'] = async (request, reply, once) => {
    const until = performance.now() + formPatience;
    for (;;) {
      const other = underWay.get(once.id);
      const found = await (other
        ? withTimeoutOrNull(until - performance.now(), other)
        : act(request, once, until));
      if (found === 'first') return 'first';
      if (found === null && (!other || performance.now() >= until)) return 'used';
      if (found === null) continue;
      const { sent, answer } = found;
      if (sent === once.sent && answer.sessions.includes(cookies.sessionId(request))) {
        void reply.code(answer.status).headers(answer.headers).send(Buffer.from(answer.body, 'base64'));
        return 'answered';
      }
      if (isEffect(answer)) return 'used';
    }
  };

  const keep: onSendHookHandler = (request, reply, payload, done) => {
    const mine = acting.get(request);
    if (mine) {
      acting.delete(request);
      const answer = answerOf(reply, payload, [cookies.sessionId(request), cookies.sessionIdAfter(reply)]);
      mine.end({ sent: mine.sent, answer });
      const stored = isEffect(answer) ? mine.answered(isTooLarge(answer) ? null : answer) : mine.refused();
      stored.catch((err: unknown) =>
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
