import type { FastifyReply } from 'fastify';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
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

/** Whoever comes from it reads it, signed in or not, and nobody is sent back (FX-98). */
export const showOutOfUse = (
  browser: Browser,
  reply: FastifyReply,
  { name, retired }: Pick<Addon, 'name' | 'retired'>,
): Promise<FastifyReply> => {
  noteReason(reply.request, retired ? 'addon-retired' : 'addon-suspended');
  return browser.message(reply, 400, ({ impossible, frame }) => ({
    title: retired ? impossible.retired : impossible.suspended,
    message: (retired ? impossible.retiredWhy : impossible.suspendedWhy)(markName(name)),
    next: { href: '/account', label: frame.account },
  }));
};
