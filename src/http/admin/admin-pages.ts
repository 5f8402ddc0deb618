import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../commands/commands.ts';
import { isUlid } from '../../domain/ids.ts';
import type { Browser } from '../browser.ts';
import { addonsPage } from '../pages/addons-page.ts';
import { organizationsPage } from '../pages/organizations-page.ts';
import { sendPage } from '../pages/page-answer.ts';
import { one, queryOf } from '../params.ts';
import { problemKinds, type ProblemKind } from '../problems.ts';
import { path, type Handler } from '../routes.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { csrfOf, isOwnForm, refuseForm } from '../session/sign-out.ts';
import { activationProblems } from './activation-answers.ts';
import { configurationAddress } from './configuration-address.ts';

type Place = { readonly organizationId: string; readonly addonId: string };
type Act = (
  place: Place,
  session: Session,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** How long a click waits for the page that shows its effect. */
const settle = 1_000;

/** `/admin`: an administrator's organizations and their add-ons, to activate and deactivate by hand. */
export const registerAdminPages = (app: FastifyInstance, browser: Browser): void => {
  const { base, commands, readModels } = browser;

  const signedIn =
    (act: Act): Handler =>
    async (request, reply) => {
      const session = await browser.session(request);
      const place = placeOf(request);
      if (!session)
        return reply.redirect(`${base}/sign-in?return_to=${encodeURIComponent(pageOf(place))}`, 303);
      if (request.method === 'POST' && !isOwnForm(browser, session, request))
        return refuseForm(browser, reply);
      return act(place, session, request, reply);
    };

  const administrator = (act: Act): Handler =>
    signedIn(async (place, session, request, reply) => {
      const mine =
        isUlid(place.organizationId) &&
        (await commands.isAdministrator(place.organizationId, session.userId));
      return mine ? act(place, session, request, reply) : notYours(browser, reply, session);
    });

  const organizations: Act = async (_place, session, _request, reply) => {
    const mine = await readModels.organizationsAdministeredBy(session.userId);
    const html = organizationsPage({ base, signedIn: session.name, organizations: mine });
    return sendPage(reply, 200, html, 'stays-here');
  };

  const addons: Act = async ({ organizationId }, session, request, reply) => {
    const [organization, listed] = await Promise.all([
      readModels.organization(organizationId),
      readModels.addonsOf(organizationId),
    ]);
    const html = addonsPage({
      base,
      csrf: csrfOf(browser, session),
      signedIn: session.name,
      organization: organization ?? { organizationId, name: organizationId },
      addons: listed,
      problem: problemTitle(one(queryOf(request), 'problem')),
    });
    return sendPage(reply, 200, html, 'leads-out');
  };

  const activate: Act = async (place, { userId, sessionId }, _request, reply) => {
    if (!isUlid(place.addonId)) return backWith(reply, base, place, 'addon-unknown');
    const done = await commands.activateAddon({ ...place, by: userId, sessionId });
    if (!done.ok) return backWith(reply, base, place, activationProblems[done.refusal]);
    await readModels.waitFor(done.value.position, settle);
    return reply.redirect(configurationAddress(done.value.configurationUrl), 303);
  };

  const deactivate: Act = async (place, { userId }, _request, reply) => {
    if (!isUlid(place.addonId)) return backWith(reply, base, place, 'addon-unknown');
    const done = await commands.deactivateAddon({ ...place, by: userId });
    if (!done.ok) return backWith(reply, base, place, activationProblems[done.refusal]);
    await readModels.waitFor(done.value.position, settle);
    return reply.redirect(base + pageOf(place), 303);
  };

  const refuse = methodNotAllowedPage(browser);
  const ofAddon = '/admin/organizations/:organization_id/addons/:client_id';
  path(app, '/', { GET: (_request, reply) => reply.redirect(`${base}/admin`, 303) }, refuse);
  path(app, '/admin', { GET: signedIn(organizations) }, refuse);
  path(app, '/admin/organizations/:organization_id', { GET: administrator(addons) }, refuse);
  path(app, `${ofAddon}/activate`, { POST: administrator(activate) }, refuse);
  path(app, `${ofAddon}/deactivate`, { POST: administrator(deactivate) }, refuse);
};

const placeOf = (request: FastifyRequest): Place => {
  const params = request.params as Partial<Record<string, string>>;
  return { organizationId: params['organization_id'] ?? '', addonId: params['client_id'] ?? '' };
};

const pageOf = ({ organizationId }: Place): string =>
  isUlid(organizationId) ? `/admin/organizations/${organizationId}` : '/admin';

const backWith = (reply: FastifyReply, base: string, place: Place, problem: ProblemKind): FastifyReply =>
  reply.redirect(`${base}${pageOf(place)}?problem=${problem}`, 303);

const problemTitle = (kind: string | undefined): string | null =>
  kind !== undefined && Object.hasOwn(problemKinds, kind) ? problemKinds[kind as ProblemKind].title : null;

const notYours = ({ message }: Browser, reply: FastifyReply, { name, email }: Session): FastifyReply =>
  message(reply, 403, {
    title: 'Not your organization',
    message: `Only administrators of an organization see and change its add-ons. You are signed in as ${email}.`,
    signedIn: name,
    next: { href: '/admin', label: 'Your organizations' },
  });
