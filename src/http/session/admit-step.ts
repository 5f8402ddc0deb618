import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../limits/counters/rate-limiter.ts';
import type { RateLimits } from '../limits/counters/rate-limits.ts';
import type { Browser } from '../base/browser.ts';
import { clientNetwork } from '../requests/client-network.ts';
import { noteReason } from '../limits/refusals.ts';

type Limited<Name extends keyof RateLimits> = {
  readonly browser: Browser;
  readonly rateLimits: Pick<RateLimits, Name>;
};

/** Counts a step of a sign-in that anybody can take. @returns false after the network took too many; the answer has been sent */
export const admitStep = async (
  { browser, rateLimits: { signInSteps } }: Limited<'signInSteps'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> => {
  const admission = await signInSteps.admit({ 'sign-in-steps': clientNetwork(request) });
  if (!admission.admitted) await refuseMany(browser, reply, admission.retryAfter);
  return admission.admitted;
};

/** Counts a sign-in of a user whom a provider has identified. @returns as `admitStep` */
export const admitIdentity = async (
  { browser, rateLimits: { identities } }: Limited<'identities'>,
  reply: FastifyReply,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<boolean> => {
  const admission: Admission = await identities.admit({ identity: JSON.stringify([issuer, subject]) });
  if (!admission.admitted) await refuseMany(browser, reply, admission.retryAfter);
  return admission.admitted;
};

const refuseMany = (browser: Browser, reply: FastifyReply, seconds: number): Promise<FastifyReply> => {
  noteReason(reply.request, 'too-many-requests');
  return browser.message(reply.header('retry-after', String(seconds)), 429, ({ signIn, frame }) => ({
    title: signIn.later,
    message: signIn.laterIn(seconds),
    next: { href: '/sign-in', label: frame.signIn },
  }));
};
