import type { FastifyRequest } from 'fastify';
import type { Browser } from '../../base/browser.ts';
import { withTimeoutOrNull } from '../../../common/with-timeout.ts';

const patience = 1_000;

/**
 * Whether the signed-in user has allowed the add-on, or administers an organization that has activated it. Only these
 * users may learn that the add-on is suspended; all others get the same answer as for an unknown add-on (AZ-03).
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
