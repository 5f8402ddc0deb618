import type { FastifyRequest } from 'fastify';
import type { Browser } from '../browser.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';

const patience = 1_000;

/**
 * Whether who is signed in has allowed the add-on, or administers an organization that has activated it: they may know what
 * has become of it. Everybody else is told what is told of an add-on that does not exist (AZ-03).
 */
export const hasDealtWith = async (
  browser: Browser,
  request: FastifyRequest,
  addonId: string,
): Promise<boolean> => (await withTimeoutOrNull(patience, dealtWith(browser, request, addonId))) ?? false;

const dealtWith = async (browser: Browser, request: FastifyRequest, addonId: string): Promise<boolean> => {
  const { commands, readModels } = browser;
  const session = await browser.session(request);
  if (!session) return false;
  const allowed = await readModels.addonsAllowedBy(session.userId);
  if (allowed.some((addon) => addon.addonId === addonId)) return true;
  const organizations = await readModels.organizationsAdministeredBy(session.userId);
  const activations = await Promise.all(
    organizations.map(({ organizationId }) => commands.showActivation(organizationId, addonId)),
  );
  return activations.some(({ history }) => history.length > 0);
};
