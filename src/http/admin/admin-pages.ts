import type { FastifyInstance } from 'fastify';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { Words } from '../../common/words.ts';
import type { OrganizationAddon } from '../../projections/read-models.ts';
import type { ActivationProblem } from '../words/kinds.ts';
import { sessionEnded } from '../account/views/account-page.ts';
import { pagePath } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { one, only, queryOf } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView, pageView } from '../session/sign-out.ts';
import { activationProblems } from './activation-answers.ts';
import { addonFacts } from '../../tasks/organizations/addon-facts.ts';
import { configurationAddress } from './configuration-address.ts';
import { registerDeactivationPages } from './deactivation-pages.ts';
import type { AdminDependencies } from './dependencies.ts';
import { registerGrantPages } from './grant-pages.ts';
import { organizationOf } from './organization-of.ts';
import {
  administrator,
  backWith,
  noSuchAddon,
  signedIn,
  tooOften,
  type Act,
} from './pages-of-administrators.ts';
import { toldTo } from './delivery-state.ts';
import { registerTimelinePages } from './timeline-pages.ts';
import { addonPage } from './views/addon-page.ts';
import { makeAttention } from './attention.ts';
import { addonLists, addonSorts, addonsPage } from './views/addons-page.ts';
import { organizationsPage } from './views/organizations-page.ts';

/** How long a request waits for the read models, so that the next page shows its effect; in milliseconds. */
const settle = 1_000;

/** `/admin`: an administrator's organizations and their add-ons, to activate and deactivate. */
export const registerAdminPages = (app: FastifyInstance, dependencies: AdminDependencies): void => {
  const { browser, commands, readModels } = dependencies;

  const { summaries, failingAmong, warningsAbout } = makeAttention(dependencies);

  const organizations: Act = async (_place, session, _request, reply) => {
    const mine = await readModels.organizationsAdministeredBy(session.userId);
    const html = organizationsPage({
      ...pageView(browser, session),
      organizations: await summaries(mine),
    });
    return sendPage(reply, 200, html, 'stays-here');
  };

  const addons: Act = async ({ organizationId }, session, request, reply) => {
    const [organization, listed] = await Promise.all([
      organizationOf(dependencies, organizationId),
      readModels.addonsOf(organizationId),
    ]);
    const html = addonsPage({
      ...formView(browser, session),
      organization,
      addons: listed,
      unreachable: await failingAmong(activeIn(listed)),
      list:
        addonLists.find((name) => name === only(queryOf(request), 'list')) ??
        (['active', 'deactivated'] as const).find((name) => listed.some(({ status }) => status === name)) ??
        'available',
      search: (only(queryOf(request), 'search') ?? '').slice(0, 100),
      sort: addonSorts.find((sort) => sort === only(queryOf(request), 'sort')) ?? 'name',
      problem: problemText(session.reader.words, one(queryOf(request), 'problem')),
    });
    return sendPage(reply, 200, html, 'leads-out');
  };

  const addon: Act = async (place, session, _request, reply) => {
    const [organization, facts] = await Promise.all([
      organizationOf(dependencies, place.organizationId),
      addonFacts(dependencies, place),
    ]);
    if (!facts) return noSuchAddon(browser, reply, place);
    const isActive = facts.activation.status === 'active' && facts.epoch;
    const active = isActive ? { ...facts.addon, activatedAt: isActive.activated.at } : null;
    const [logo, told, warnings] = await Promise.all([
      withTimeoutOrNull(1_000, commands.addonLogo(facts.addon)),
      withTimeoutOrNull(1_000, toldTo(dependencies, place)),
      active && warningsAbout([active]).then((warningsOf) => warningsOf(active)),
    ]);
    const html = addonPage({ ...formView(browser, session), organization, logo, told, warnings, ...facts });
    return sendPage(reply, 200, html, 'leads-out');
  };

  const activate: Act = async (place, session, request, reply) => {
    const { userId, sessionId } = session;
    if (!isUlid(place.addonId)) return backWith(browser, reply, place, 'addon-unknown');
    const done = await commands.activateAddon(
      { ...place, by: userId, sessionId, asAdministrator: true },
      contextOf(request),
    );
    if (done.until !== undefined) return tooOften(browser, reply, place, session, done.until);
    if (!done.ok) return backWith(browser, reply, place, activationProblems[done.refusal]);
    await withTimeoutOrNull(settle, readModels.waitFor(done.value.position, settle)); // a late read model is no failure
    return reply.redirect(configurationAddress(done.value.configurationUrl, place.organizationId), 303);
  };

  const refuse = methodNotAllowedPage(browser);
  pagePath(app, '/admin', { GET: signedIn(dependencies, organizations) }, refuse);
  pagePath(
    app,
    '/admin/organizations/{organization_id}',
    { GET: administrator(dependencies, addons) },
    refuse,
  );
  pagePath(
    app,
    '/admin/organizations/{organization_id}/addons/{client_id}',
    { GET: administrator(dependencies, addon) },
    refuse,
  );
  pagePath(
    app,
    '/admin/organizations/{organization_id}/addons/{client_id}/activate',
    { POST: administrator(dependencies, activate) },
    refuse,
  );
  registerDeactivationPages(app, dependencies);
  registerGrantPages(app, dependencies);
  registerTimelinePages(app, dependencies);
};

const activeIn = (listed: readonly OrganizationAddon[]): readonly string[] =>
  listed.filter(({ status }) => status === 'active').map(({ addonId }) => addonId);

const problemText = ({ admin, account }: Words, kind: string | undefined): string | null => {
  if (kind === sessionEnded) return account.sessionEnded;
  return kind !== undefined && Object.hasOwn(admin.problems, kind)
    ? admin.problems[kind as ActivationProblem]
    : null;
};
