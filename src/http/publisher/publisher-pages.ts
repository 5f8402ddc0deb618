import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { changeFields } from '../../tasks/addons/addon-changes.ts';
import type { AddonItem } from '../../tasks/addons.ts';
import { fieldsOf, readInput } from '../../tasks/fields.ts';
import { placeOf, type Place } from '../../tasks/places.ts';
import { ownAddons } from '../../tasks/publishing.ts';
import {
  changesOf,
  organizationsOf,
  ownOf,
  publishersOf,
  secretsOf,
  signalsOf,
} from '../../tasks/publishing/facts.ts';
import type { Services, Task, TaskRefused } from '../../tasks/task.ts';
import type { Visitor } from '../base/browser.ts';
import { pagePath, type Handler } from '../base/routes.ts';
import { allowedIn, problemIn } from '../operator/in-words.ts';
import { filled, markup } from '../pages/html.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, only, pathId, queryOf } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView, pageView, refuseField } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { PublisherDependencies } from './dependencies.ts';
import { servicesFor } from './members-only.ts';
import {
  changeFieldsFor,
  isChosen,
  newSecretPage,
  proposable,
  publishedAddonPage,
  publishedAddonsPage,
  publisherFormPage,
  titleOf,
  type PublisherFormView,
} from './views/publisher-pages.ts';

const perPage = 50;
const fields = fieldsOf(changeFields);

/** Tasks whose forms have pages of their own. */
const pagesOfForms: ReadonlySet<string> = new Set(['propose-change', 'remove-secret', 'replay-signals']);

type Refused = Omit<TaskRefused, 'ok' | 'message'>;

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
    if (after !== null && !ownAddons.isId(after))
      return message(reply, 400, ({ errors }) => ({ title: errors.tryAgain, message: errors.malformed }));
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
      fields,
      signals: await signalsOf(services, addonId),
      usage: (await services.own?.usage(addonId, 30))?.days ?? [],
    });
    return sendPage(reply, 200, html, 'stays-here');
  });

  const refused = (
    reply: FastifyReply,
    { session: { reader }, addon }: Mine,
    { refusal, problems = [], retryAt }: Refused,
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

  /** The page of a form; null: its button is on the page of the add-on. */
  const formPageOf = async (
    task: Task,
    { session, services, addon }: Mine,
    request: FastifyRequest,
  ): Promise<PublisherFormView | null> => {
    const { reader } = session;
    const { publisher: t } = reader.words;
    const page = { ...formView(browser, session), addon, isEnd: false, fields: [], problem: null };
    if (task.name === 'remove-secret') {
      const id = pathId(request, 'secret_id');
      const known = (await secretsOf(services, addon.client_id)).map(({ secret_id: each }) => each);
      if (!known.includes(id)) return null;
      const text = filled((slot) => t.removeWhat(slot(markup`<code>${id}</code>`)));
      return {
        ...page,
        title: t.removeSecret,
        text,
        path: `secrets/${id}/remove`,
        submit: t.removeSecret,
        isEnd: true,
      };
    }
    if (task.name === 'replay-signals') {
      const { title: label, hint } = t.fields.after;
      const after = {
        id: 'after',
        name: 'after',
        kind: 'text',
        label,
        value: '',
        hint,
        isRequired: true,
      } as const;
      return {
        ...page,
        title: t.replay,
        text: t.replayWhat,
        path: 'signals/replay',
        submit: t.replay,
        fields: [after],
      };
    }
    if (task.name !== 'propose-change') return null;
    const asked = only(queryOf(request), 'field');
    const about = Object.entries(proposable).find(([property]) => property === asked)?.[1];
    return {
      ...page,
      title: t.proposeOne,
      text: services.own?.isFree ? t.proposeFree : t.proposeHow,
      path: about ? `changes?field=${asked ?? ''}` : 'changes',
      submit: t.propose,
      fields: changeFieldsFor(
        reader,
        fields.filter(({ name }) => about?.some((one) => one === name) ?? true),
        addon,
      ),
    };
  };

  const ask = (task: Task): { readonly GET?: Handler } =>
    pagesOfForms.has(task.name)
      ? {
          GET: own(async (mine, request, reply) => {
            const page = await formPageOf(task, mine, request);
            if (page) return sendPage(reply, 200, publisherFormPage(page), 'stays-here');
            return reply.redirect(`${base}${pageOf(mine.addon)}`, 303);
          }),
        }
      : {};

  /** A form of the page carries out a task of the table, in the name of the member. */
  const perform = (task: Task, { input, inAddress }: Place): Handler =>
    own(async (mine, request, reply) => {
      const { session, services, addon } = mine;
      const form = formOf(request);
      const expected = fieldsOf(input);
      const repeated = expected.find(({ name }) => !isChosen(name) && isRepeated(form, name));
      const typed = (name: string) => (form.get(name) ?? []).join('\n');
      if (repeated) return refuseField(browser, reply, repeated.name);
      const sent = expected.flatMap(({ name, kind }) => {
        const value = typed(name).trim();
        if (value === '' || value === addon[name as keyof AddonItem]) return [];
        return [[name, kind === 'several' ? value.split(/\s+/) : value] as const];
      });
      const { words } = session.reader;
      /** With what was sent, and what is wrong with it. */
      const askAgain = async (why: Refused, wrong: readonly { field: string; text: string }[]) => {
        const page = wrong.length === 0 ? null : await formPageOf(task, mine, request);
        if (!page) return refused(reply, mine, why);
        const problemOf = (name: string) =>
          wrong.flatMap(({ field, text }) => (field === name ? [text] : [])).join(' ');
        const html = publisherFormPage({
          ...page,
          problem: words.publisher.refusals['change-invalid'],
          fields: page.fields.map((each) => ({
            ...each,
            value: typed(each.name) || each.value,
            problem: problemOf(each.name),
          })),
        });
        return sendPage(reply, 409, html, 'stays-here');
      };
      const read = readInput(input, Object.fromEntries(sent));
      if (!read.ok)
        return askAgain(
          {
            refusal: 'change-invalid',
            problems: read.problems.map(({ field, allowed }) => ({ field, message: allowed })),
          },
          read.problems.map((problem) => allowedIn(words, problem)),
        );
      const named = Object.entries(inAddress).map(([name, field]) => [field, pathId(request, name)]);
      const context = { ...contextOf(request), acting: { actor: session.userId, tokenId: null } };
      const given = { ...read.value, ...Object.fromEntries(named) };
      const done = await task.run(services, addon.client_id, given, context);
      if (!done.ok)
        return askAgain(
          done,
          (done.problems ?? []).map((problem) => problemIn(words, problem)),
        );
      const secret = done.json?.['client_secret'];
      if (typeof secret !== 'string') return reply.redirect(`${base}${pageOf(addon)}`, 303);
      const html = newSecretPage({ ...pageView(browser, session), clientId: addon.client_id, secret });
      return sendPage(reply, 200, html, 'stays-here', true);
    });

  pagePath(app, '/publisher', { GET: signedIn(list) }, refuse);
  pagePath(app, '/publisher/addons/{client_id}', { GET: show }, refuse);
  for (const task of ownAddons.tasks.filter(({ isRead }) => !isRead)) {
    const place = placeOf(ownAddons, task);
    const url = `${place.url.replace('/api/', '/')}${place.method === 'DELETE' ? '/remove' : ''}`;
    pagePath(app, url, { ...ask(task), POST: perform(task, place) }, refuse);
  }
};
