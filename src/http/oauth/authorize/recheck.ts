import type { FastifyReply } from 'fastify';
import { withdrawnFrom } from '../../../domain/addons/addon-update.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import type { AuthorizeDependencies } from './dependencies.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { refuse } from './continue-authorization.ts';
import { scopeRemoved, showOutOfUse, showRemoved } from './removed-from-addon.ts';

type Rechecked = { readonly addon: Addon } | { readonly sent: FastifyReply };

/**
 * Judges an authorization that has waited in a browser by what its add-on may use now: an operator may have removed its
 * redirect URI or a scope, or retired the add-on (AM-12). A removed address gets no redirect, not even an error.
 */
export const recheck = async (
  { browser, commands }: AuthorizeDependencies,
  reply: FastifyReply,
  request: AuthorizationRequest,
): Promise<Rechecked> => {
  const addon = await commands.currentAddon(request.clientId);
  if (!addon) throw new Error('the add-on that began this authorization is no longer registered');
  if (addon.retired) return { sent: await showOutOfUse(browser, reply, addon) };
  const withdrawn = withdrawnFrom(addon, request);
  if (withdrawn === null) return { addon };
  if (withdrawn === 'redirect-uri-removed') return { sent: await showRemoved(browser, reply) };
  return { sent: refuse(browser, reply, request, 'invalid_scope', scopeRemoved, withdrawn) };
};
