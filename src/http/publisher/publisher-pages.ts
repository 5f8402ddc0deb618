import type { FastifyInstance, FastifyReply } from 'fastify';
import { changeFields } from '../../administration/addons/addon-changes.ts';
import type { AddonItem } from '../../administration/addons.ts';
import { fieldsOf, readInput } from '../../administration/fields.ts';
import { placesOf, type Place } from '../../administration/places.ts';
import { ownAddons } from '../../administration/publishing.ts';
import {
  changesOf,
  organizationsOf,
  ownOf,
  publishersOf,
  secretsOf,
  signalsOf,
} from '../../administration/publishing/facts.ts';
import type { Services, Task, TaskRefused } from '../../administration/task.ts';
import type { Visitor } from '../base/browser.ts';
import { pagePath, type Handler } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, one, only, pathId, queryOf } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView, pageView, refuseField } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { PublisherDependencies } from './dependencies.ts';
import { servicesFor } from './members-only.ts';
import { newSecretPage, publishedAddonPage, publishedAddonsPage, titleOf } from './views/publisher-pages.ts';

const perPage = 50;

type Mine = { readonly session: Visitor; readonly services: Services; readonly addon: AddonItem };

/** `/publisher`: the same as the API, with the session of a browser. */
export const registerPublisherPages = (app: FastifyInstance, dependencies: PublisherDependencies): void => {
  const { browser } = dependencies;
  const { base, message } = browser;
  const refuse = methodNotAllowedPage(browser);
  const signedIn = makeSignedIn(browser, (request) =>
    request.method === 'GET' ? request.url : '/publisher',
  );
  const servicesOf = ({ userId }: Visitor) => servicesFor(dependencies, { userId, byClaim: true });
  const pageOf = ({ client_id: addonId }: AddonItem) => `/publisher/addons/${addonId}`;

  const list: Act = async (session, request, reply) => {
    const services = servicesOf(session);
    if ((await publishersOf(services, ownOf(services).member)).length === 0)
      return message(reply, 403, ({ publisher: t, frame }) => ({
        title: t.noAccess,
        message: t.membersOnly,
        next: { href: '/account', label: frame.account },
      }));
    const after = only(queryOf(request), 'after') ?? null;
    const { items, next } = await ownAddons.list(services, {}, { after, limit: perPage });
    const addons = items as readonly AddonItem[];
    return sendPage(
      reply,
      200,
      publishedAddonsPage({ ...pageView(browser, session), addons, next }),
      'stays-here',
    );
  };

  const own = (
    act: (mine: Mine, ...given: [Parameters<Act>[1], FastifyReply]) => Promise<FastifyReply>,
  ): Handler =>
    signedIn(async (session, request, reply) => {
      const services = servicesOf(session);
      const addon = (await ownAddons.show(services, pathId(request, 'client_id'))) as AddonItem | null;
      return addon
        ? act({ session, services, addon }, request, reply)
        : message(reply, 404, ({ publisher: t }) => ({
            title: t.notFound,
            message: t.notFoundWhy,
            next: { href: '/publisher', label: t.title },
          }));
    });

  const show = own(async ({ session, services, addon }, _request, reply) => {
    const { client_id: addonId } = addon;
    const html = publishedAddonPage({
      ...formView(browser, session),
      addon,
      organizations: await organizationsOf(services, addonId, { after: null, limit: 200 }),
      secrets: await secretsOf(services, addonId),
      changes: (await changesOf(services, addonId)).slice(0, 20),
      fields: fieldsOf(changeFields),
      signals: await signalsOf(services, addonId),
      usage: (await services.own?.usage(addonId, 30))?.days ?? [],
    });
    return sendPage(reply, 200, html, 'stays-here');
  });

  const refused = (
    reply: FastifyReply,
    { session: { reader }, addon }: Mine,
    { refusal, problems = [], retryAt }: Omit<TaskRefused, 'ok' | 'message'>,
  ) =>
    message(reply, 409, ({ publisher: t }) => {
      const [known, wrong] = [t.refusals as Readonly<Record<string, string>>, problems.length > 0];
      const fields = reader.list(problems.map(({ field }) => titleOf(reader, field)));
      const why = retryAt === undefined ? (known[refusal] ?? refusal) : t.tooOften(reader.momentOf(retryAt));
      return {
        title: t.nothingDone,
        message: wrong ? t.wrong(fields) : why,
        ...(wrong && { detail: problems.map(({ field, message: text }) => `${field} ${text}`).join('; ') }),
        next: { href: pageOf(addon), label: t.theAddon },
      };
    });

  /** A form of the page carries out a task of the table, in the name of the member. */
  const perform = (task: Task, { input, inAddress }: Place): Handler =>
    own(async (mine, request, reply) => {
      const { session, services, addon } = mine;
      const form = formOf(request);
      const fields = fieldsOf(input);
      const repeated = fields.find(({ name }) => isRepeated(form, name));
      if (repeated) return refuseField(browser, reply, repeated.name);
      const sent = fields.flatMap(({ name, kind }) => {
        const value = one(form, name)?.trim() ?? '';
        if (value === '') return [];
        return [[name, kind === 'several' ? value.split(/\s+/) : value] as const];
      });
      const read = readInput(input, Object.fromEntries(sent));
      if (!read.ok)
        return refused(reply, mine, {
          refusal: 'change-invalid',
          problems: read.problems.map(({ field, allowed }) => ({ field, message: allowed })),
        });
      const named = Object.entries(inAddress).map(([name, field]) => [field, pathId(request, name)]);
      const context = { ...contextOf(request), acting: { actor: session.userId, tokenId: null } };
      const given = { ...read.value, ...Object.fromEntries(named) };
      const done = await task.run(services, addon.client_id, given, context);
      if (!done.ok) return refused(reply, mine, done);
      const secret = done.json?.['client_secret'];
      if (typeof secret !== 'string') return reply.redirect(`${base}${pageOf(addon)}`, 303);
      const html = newSecretPage({ ...pageView(browser, session), clientId: addon.client_id, secret });
      return sendPage(reply, 200, html, 'stays-here', true);
    });

  pagePath(app, '/publisher', { GET: signedIn(list) }, refuse);
  pagePath(app, '/publisher/addons/{client_id}', { GET: show }, refuse);
  for (const task of ownAddons.tasks.filter(({ isRead }) => !isRead))
    for (const place of placesOf(ownAddons, task)) {
      const url = `${place.url.replace('/api/', '/')}${place.method === 'DELETE' ? '/remove' : ''}`;
      pagePath(app, url, { POST: perform(task, place) }, refuse);
    }
};
