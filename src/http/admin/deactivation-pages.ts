import type { FastifyInstance } from 'fastify';
import type { Activation } from '../../commands/organizations/show-activation.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { Browser } from '../base/browser.ts';
import { pagePath } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { only, queryOf } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView } from '../session/sign-out.ts';
import { activationProblems } from './activation-answers.ts';
import { addonFacts } from '../../tasks/organizations/addon-facts.ts';
import type { AdminDependencies } from './dependencies.ts';
import { organizationOf } from './organization-of.ts';
import { administrator, backWith, noSuchAddon, pageOf, type Act } from './pages-of-administrators.ts';
import { verifyReceipt, signReceipt } from './signed-receipt.ts';
import { receiptPage, deactivatePage } from './views/deactivation-pages.ts';

/** How long a request waits for counts, and for the read models, in milliseconds; tokens are refused by then (DE-06). */
const settle = { numbers: 300, list: 1_000 } as const;

/** The deactivation pages: what it would end, the form, and the receipt afterwards (DE-06). */
export const registerDeactivationPages = (app: FastifyInstance, dependencies: AdminDependencies): void => {
  const { browser, commands, readModels } = dependencies;
  const { base } = browser;

  const ask: Act = async (place, session, _request, reply) => {
    const [organization, facts] = await Promise.all([
      organizationOf(dependencies, place.organizationId),
      addonFacts(dependencies, place),
    ]);
    if (!facts) return noSuchAddon(browser, reply, place);
    if (facts.activation.status !== 'active') return reply.redirect(base + pageOf(place), 303);
    const html = deactivatePage({ ...formView(browser, session), organization, ...facts });
    return sendPage(reply, 200, html, 'stays-here');
  };

  const deactivate: Act = async (place, { userId }, request, reply) => {
    if (!isUlid(place.addonId)) return backWith(browser, reply, place, 'addon-unknown');
    const counting = readModels.beginCount(place.organizationId, place.addonId);
    const done = await commands.deactivateAddon({ ...place, by: userId }, contextOf(request));
    if (!done.ok) return backWith(browser, reply, place, activationProblems[done.refusal]);
    const { epoch, position, fencedAt, repeated } = done.value;
    const [ended] = await Promise.all([
      repeated ? null : counting(epoch, settle.numbers),
      withTimeoutOrNull(settle.list, readModels.waitFor(position, settle.list)),
    ]);
    const receipt = signReceipt(browser, { ...place, epoch, fencedAt, ended });
    return reply.redirect(`${base}${pageOf(place)}/receipt?receipt=${receipt}`, 303);
  };

  /** Shows only values that we signed, or that come from the log, so that a forged address cannot show a false receipt. */
  const receipt: Act = async (place, session, request, reply) => {
    const signed = verifyReceipt(browser, place, only(queryOf(request), 'receipt'));
    const [organization, facts] = await Promise.all([
      organizationOf(dependencies, place.organizationId),
      addonFacts(dependencies, place, ({ history }) => signed?.epoch ?? lastEnded(history)?.epoch),
    ]);
    if (!facts?.epoch?.deactivated) return noReceipt(browser, reply, place);
    const { epoch } = facts;
    const { deactivated } = facts.epoch;
    const html = receiptPage({
      ...formView(browser, session),
      organization,
      ...facts,
      epoch,
      deactivated,
      signed,
    });
    return sendPage(reply, 200, html, 'stays-here');
  };

  const refuse = methodNotAllowedPage(browser);
  const both = { GET: administrator(dependencies, ask), POST: administrator(dependencies, deactivate) };
  pagePath(app, '/admin/organizations/{organization_id}/addons/{client_id}/deactivate', both, refuse);
  pagePath(
    app,
    '/admin/organizations/{organization_id}/addons/{client_id}/receipt',
    { GET: administrator(dependencies, receipt) },
    refuse,
  );
};

const lastEnded = (history: Activation['history']) =>
  history.findLast(({ deactivated }) => deactivated !== null);

const noReceipt = (
  { message }: Browser,
  reply: Parameters<Act>[3],
  place: Parameters<Act>[0],
): ReturnType<Browser['message']> =>
  message(reply, 404, ({ admin }) => ({
    title: admin.noReceipt,
    message: admin.noReceiptWhy,
    next: { href: pageOf(place), label: admin.theAddon },
  }));
