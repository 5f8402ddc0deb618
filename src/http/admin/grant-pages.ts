import type { FastifyInstance } from 'fastify';
import { reason as reasonField } from '../../tasks/fields.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { unusedDays } from './attention.ts';
import type { AdminDependencies } from './dependencies.ts';
import { addonGrantsPage } from './views/addon-grants-page.ts';
import { isoOf, isoOrNull } from './views/texts.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, one, queryOf } from '../requests/params.ts';
import { pagePath } from '../base/routes.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView, refuseField } from '../session/sign-out.ts';
import { contextOf } from '../requests/trace.ts';
import { organizationOf } from './organization-of.ts';
import { administrator, noSuchAddon, pageOf, type Act } from './pages-of-administrators.ts';

const perPage = 50;
/** How long a page waits for names, and after a change for the read models, in milliseconds. */
const patience = 1_000;

/** The live grants of one add-on for an organization, for its administrators, each with a form that revokes it (AM-13). */
export const registerGrantPages = (app: FastifyInstance, dependencies: AdminDependencies): void => {
  const { browser, commands, readModels, readsCountedSince } = dependencies;
  const { base, message, now } = browser;

  const show: Act = async (place, session, request, reply) => {
    const addon = await commands.findAddon(place.addonId);
    if (!addon) return noSuchAddon(browser, reply, place);
    const given = one(queryOf(request), 'after') ?? '';
    const page = { after: isUlid(given) ? given : null, limit: perPage + 1 };
    const live = {
      about: { kind: 'organization', id: place.organizationId },
      addonId: place.addonId,
      state: 'active',
    } as const;
    const unused = {
      since: now() - unusedDays * 86_400_000,
      countedSince: await readsCountedSince(),
    };
    const [organization, rows, unusedRows] = await Promise.all([
      organizationOf(dependencies, place.organizationId),
      readModels.grants(live, page),
      readModels.grants({ ...live, unused }, page),
    ]);
    const listed = rows.slice(0, perPage);
    const unusedIds = new Set(unusedRows.map(({ grantId }) => grantId));
    const [shown, names] = await Promise.all([
      Promise.all(listed.map(({ grantId }) => commands.showGrant(grantId))),
      withTimeoutOrNull(patience, readModels.namesOf(listed.map(({ userId }) => userId))),
    ]);
    const grants = listed.flatMap((row, index) => {
      const grant = shown[index];
      if (grant?.state !== 'active') return [];
      return {
        grantId: row.grantId,
        allowedBy: names?.get(row.userId) ?? row.userId,
        scopes: grant.scopes,
        issuedAt: isoOf(grant.issuedAt),
        lastTokenAt: isoOrNull(grant.lastTokenAt ?? row.lastTokenAt),
        lastReadAt: isoOrNull(row.lastReadAt),
        isUnused: unusedIds.has(row.grantId),
      };
    });
    const html = addonGrantsPage({
      ...formView(browser, session),
      organization,
      addon,
      grants,
      next: rows.length > perPage ? (listed.at(-1)?.grantId ?? null) : null,
      unusedDays,
    });
    return sendPage(reply, 200, html, 'stays-here');
  };

  const revoke: Act = async (place, { userId }, request, reply) => {
    const form = formOf(request);
    if (isRepeated(form, 'reason')) return refuseField(browser, reply, 'reason');
    const text = one(form, 'reason') ?? '';
    const reason = reasonField.optional().safeParse(text.trim() === '' ? undefined : text);
    const grants = `${pageOf(place)}/grants`;
    if (!reason.success)
      return message(reply, 400, ({ admin }) => ({
        title: admin.notRevoked,
        message: admin.badReason,
        next: { href: grants, label: admin.grantsOfAddon },
      }));
    const { grant_id: grantId = '' } = request.params as Partial<Record<string, string>>;
    const context = { ...contextOf(request), ...(reason.data !== undefined && { reason: reason.data }) };
    const done = await commands.revokeGrantOfOrganization({ ...place, grantId, by: userId }, context);
    if (!done.ok)
      return message(reply, 404, ({ admin }) => ({
        title: admin.grantNotFound,
        message: admin.grantNotFoundWhy,
        next: { href: grants, label: admin.grantsOfAddon },
      }));
    return reply.redirect(base + grants, 303);
  };

  const refuse = methodNotAllowedPage(browser);
  const here = '/admin/organizations/{organization_id}/addons/{client_id}/grants';
  pagePath(app, here, { GET: administrator(dependencies, show) }, refuse);
  pagePath(app, `${here}/{grant_id}/revoke`, { POST: administrator(dependencies, revoke) }, refuse);
};
