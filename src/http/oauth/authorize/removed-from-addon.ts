import type { FastifyReply } from 'fastify';
import type { Browser } from '../../base/browser.ts';
import { noteReason } from '../../limits/refusals.ts';

export const scopeRemoved = 'the add-on may no longer ask for one of these scopes';

/** The address that the add-on asked to be sent to was removed, so nobody is sent there. */
export const showRemoved = (browser: Browser, reply: FastifyReply): Promise<FastifyReply> => {
  noteReason(reply.request, 'redirect-uri-removed');
  return browser.message(reply, 400, ({ impossible }) => ({
    title: impossible.removed,
    message: impossible.removedWhy,
    detail: 'redirect_uri is no longer registered for this add-on',
  }));
};
