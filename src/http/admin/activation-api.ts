import type { FastifyInstance, FastifyReply } from 'fastify';
import { presentReceipt } from '../../tasks/organizations/deactivation-receipt.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import type { AdminDependencies } from './dependencies.ts';
import type {
  Activated,
  Activation,
  DeactivationReceipt,
  OrganizationAddonItem,
} from '../../tasks/organizations/activation-answers.ts';
import type { ProblemKind } from '../answers/problems.ts';
import { sendJson } from '../answers/send-json.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { path } from '../base/routes.ts';
import { contextOf } from '../requests/trace.ts';
import { secondsUntil } from '../answers/seconds-until.ts';
import { activationProblems } from './activation-answers.ts';
import { activationPaths } from './activation-paths.ts';
import { addonFacts } from '../../tasks/organizations/addon-facts.ts';
import { makeAdministratorsOnly, type Act, type Ids } from './administrators-only.ts';
import { configurationAddress } from './configuration-address.ts';
import { presentActivation, presentAddon } from '../../tasks/organizations/present-activation.ts';

/** How long an answer waits for read models, in milliseconds: the log and the fence have it already. Deactivations: at least `moment` (DE-06). */
const settle = { activated: 500, deactivated: 20, moment: 10 } as const;

/** The administrators' JSON API (AC-04), not of the table of tasks: it answers within milliseconds of the fence (DE-06), and a receipt is signed. */
export const registerActivationApi = (app: FastifyInstance, dependencies: AdminDependencies): void => {
  const { browser, commands, readModels } = dependencies;
  const { config } = browser;
  const problem = (reply: FastifyReply, kind: ProblemKind) => sendProblem(reply, config.baseUrl, kind);

  const guarded = makeAdministratorsOnly(dependencies);

  const list: Act = async ({ organizationId }, _administrator, _request, reply) => {
    const addons = await readModels.addonsOf(organizationId);
    return sendJson<{ items: OrganizationAddonItem[] }>(reply, { items: addons.map(presentAddon) });
  };

  const show: Act = async (ids, _administrator, _request, reply) => {
    const facts = await addonFacts(dependencies, {
      organizationId: ids.organizationId,
      addonId: ids.clientId,
    });
    if (!facts) return problem(reply, 'addon-unknown');
    return sendJson<Activation>(reply, presentActivation(ids.organizationId, facts));
  };

  const activate: Act = async (ids, { userId, sessionId, tokenId }, request, reply) => {
    const { organizationId, clientId: addonId } = ids;
    const done = await commands.activateAddon(
      { organizationId, addonId, by: userId, sessionId, tokenId, asAdministrator: true },
      contextOf(request),
    );
    if (!done.ok) {
      if (done.until !== undefined) reply.header('retry-after', secondsUntil(done.until, browser.now()));
      return problem(reply, activationProblems[done.refusal]);
    }
    const { epoch, position, configurationUrl } = done.value;
    await readModels.waitFor(position, settle.activated).catch(() => false); // a late read model is no failure
    return sendJson<Activated>(reply, {
      ...named(ids),
      status: 'active',
      epoch,
      position: positionText(position),
      configuration_url: configurationAddress(configurationUrl, organizationId),
    });
  };

  const deactivate: Act = async (ids, { userId, tokenId }, request, reply) => {
    const { organizationId, clientId: addonId } = ids;
    const asked = performance.now();
    const liveGrants = readModels.beginCount(organizationId, addonId);
    const done = await commands.deactivateAddon(
      { organizationId, addonId, by: userId, tokenId },
      contextOf(request),
    );
    if (!done.ok) return problem(reply, activationProblems[done.refusal]);
    const { epoch, position, repeated } = done.value;
    const patience = Math.max(settle.moment, settle.deactivated - (performance.now() - asked));
    const [counted] = await Promise.all([
      repeated ? null : liveGrants(epoch, patience),
      readModels.waitFor(position, patience).catch(() => false), // a late read model is no failure: the tokens are refused already
    ]);
    return sendJson<DeactivationReceipt>(reply, presentReceipt(done.value, counted));
  };

  const refuse = methodNotAllowed(config.baseUrl);
  path(app, activationPaths, '/organizations/{organization_id}/addons', { GET: guarded(list) }, refuse);
  path(
    app,
    activationPaths,
    '/organizations/{organization_id}/addons/{client_id}/activation',
    { GET: guarded(show), PUT: guarded(activate), DELETE: guarded(deactivate) },
    refuse,
  );
};

const named = ({ organizationId, clientId }: Ids) => ({
  organization_id: organizationId,
  client_id: clientId,
});
