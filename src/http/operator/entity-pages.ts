import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { idsIn, shownFields } from '../../tasks/answer-fields.ts';
import { bodyLimitOf, bodyOf, fieldsOf, idsOfInput, readInput } from '../../tasks/fields.ts';
import { idOf as namedBy } from '../../tasks/find.ts';
import { takesReason } from '../../tasks/places.ts';
import { itemsIn, itemsOf, readSection, sectionsOf, type Items, type Section } from '../../tasks/sections.ts';
import { newestIn } from '../../tasks/newest-in.ts';
import { personsOf, type Person } from '../../tasks/people/to-whom.ts';
import { perform } from '../../tasks/perform.ts';
import {
  answeredBy,
  cursorProblem,
  listPart,
  toItself,
  type Entity,
  type Json,
  type Listed,
  type Part,
  type Services,
  type Task,
  type TaskRefused,
} from '../../tasks/task.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { About } from '../../domain/event-subjects.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import type { Reader } from '../words/reader.ts';
import { sessionEnded } from '../account/views/account-page.ts';
import type { Browser, Visitor } from '../base/browser.ts';
import { pagePath, type Handler } from '../base/routes.ts';
import {
  card,
  type Column,
  empty,
  facts,
  link,
  nameOf,
  sortingOf,
  table,
  type Paging,
  type Sorting,
} from '../pages/components.ts';
import { markup, type Html, type Part as PagePart } from '../pages/html.ts';
import type { Words } from '../../common/words.ts';
import { sendPage } from '../pages/page-answer.ts';
import { isFromAnotherSite } from '../requests/from-another-site.ts';
import { formOf, one, only, pathId, queryOf, type Params } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import type { z } from 'zod';
import type { Crumb } from '../pages/layout.ts';
import type { FormView } from '../pages/render.ts';
import { formView, pageView } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import { acceptFiles } from './accept-files.ts';
import { filtersOf, idsOfNames } from './filters.ts';
import {
  allAllowedIn,
  allowedIn,
  buttonOf,
  doneIn as doneWords,
  effectOf,
  introOf,
  labelOf,
  noneIn,
  nounOf,
  problemIn,
  refusalIn,
  summaryOf,
  uncapitalized,
  withParts,
} from './in-words.ts';
import {
  answerFacts,
  columnsOf,
  factsOf,
  itemFacts,
  namesIn,
  type PageOf,
  type Showing,
  relatedTo,
  titleHtml,
  titleOf,
} from './shown.ts';
import {
  actionsOf,
  changeOf,
  fieldsAbout,
  formFields,
  isEnding,
  isUseful,
  nothingTyped,
  whatEnds,
  type Filled,
} from './task-forms.ts';
import { entityListPage } from './views/entity-list-page.ts';
import { entityDonePage, entityPage, taskPage } from './views/entity-page.ts';

const perPage = 50;
/** To how many what matches filters is counted. */
const mostCounted = 1_000;

/** Whose pages they are. */
export type PageAudience = {
  readonly browser: Browser;
  readonly entities: readonly Entity[];
  /** Lets only those pass who belong to it. */
  readonly only: (act: Act) => Act;
  /** What the tasks are carried out with for somebody. */
  readonly servicesOf: (session: Visitor) => Services;
  readonly crumbs: (reader: Reader) => readonly Crumb[];
  readonly listAt: (about: Entity) => string;
  readonly headingOf: (words: Words, about: Entity) => string;
  /** The page of one of its things; null for other things. */
  readonly pageOf: PageOf;
  /** How many there are. */
  readonly countOf?: (about: Entity) => Promise<Paging['all']>;
  /** What a list says that has nothing yet. */
  readonly none?: (reader: Reader) => Html;
  /** Below the heading of the page of one. */
  readonly standing?: (session: Visitor, json: Json) => Html;
};

/** The pages of an audience: lists, a page of each thing, and a page for each task. */
export const registerEntityPages = (app: FastifyInstance, audience: PageAudience): void => {
  const refuse = methodNotAllowedPage(audience.browser);
  for (const about of audience.entities) {
    const pages = makePages(audience, about);
    const list = audience.listAt(about);
    const item = decodeURIComponent(audience.pageOf(about, `{${about.idKey}}`) ?? '');
    pagePath(app, list, { GET: pages.list }, refuse);
    pagePath(app, item, { GET: pages.show }, refuse);
    for (const part of about.parts ?? [])
      pagePath(app, `${item}/${part.name}`, { GET: pages.listOf(part) }, refuse);
    const reads = sectionsOf(about).map(({ read }) => read);
    for (const task of about.tasks.filter((each) => !each.isRead || (!each.of && !reads.includes(each)))) {
      const bodyLimit = bodyLimitOf(task.input);
      const methods = { GET: pages.ask(task, true), POST: pages.act(task, true) };
      const add = (place: FastifyInstance) =>
        pagePath(place, `${item}/${task.name}`, methods, refuse, bodyLimit === null ? {} : { bodyLimit });
      if (bodyLimit === null) add(app);
      else
        app.register((withFiles, _options, done) => {
          acceptFiles(withFiles);
          add(withFiles);
          done();
        });
    }
    for (const task of about.making ?? [])
      pagePath(
        app,
        `${list}/${task.name}`,
        { GET: pages.ask(task, false), POST: pages.act(task, false) },
        refuse,
      );
  }
};

const makePages = (audience: PageAudience, about: Entity) => {
  const { browser, only: admitted, servicesOf, headingOf, pageOf: pageOrNull } = audience;
  const { base, message } = browser;
  const here = audience.listAt(about);
  const pageOf = (of: Entity, id: string) => pageOrNull(of, id) ?? here;
  const crumbsOf = (reader: Reader) => [
    ...audience.crumbs(reader),
    { href: here, label: headingOf(reader.words, about) },
  ];
  const idOf = (request: FastifyRequest): string => pathId(request, about.idKey);
  const guarded = (act: Act): Handler =>
    makeSignedIn(browser, (request) => (request.method === 'GET' ? request.url : here))(admitted(act));
  const showingOf = async ({ reader }: Visitor, services: Services, ids: readonly About[]) => ({
    base,
    pageOf: pageOrNull,
    reader,
    words: reader.words,
    names: await namesIn(services.readModels, ids),
  });
  /** What a form sends. */
  const bodyIn = (task: Task) => (takesReason(about, task) ? bodyOf(task.input) : task.input);
  const sections = sectionsOf(about);
  const inSections = new Set(sections.flatMap(({ tasks }) => tasks));
  const fields = shownFields(about.shape);
  const itemFields = (part: Items | undefined) => shownFields(part?.item);

  const unknown = (reply: FastifyReply): Promise<FastifyReply> =>
    message(reply, 404, (words) => ({
      title: words.operator.unknown(nounOf(words, about)),
      message: words.operator.unknownWhy(nounOf(words, about)),
      next: { href: here, label: headingOf(words, about) },
    }));

  const ambiguous = (reply: FastifyReply, refused: TaskRefused): Promise<FastifyReply> =>
    message(reply, 409, (words) => ({
      title: words.operator.ambiguous,
      message: refusalIn(words, refused),
      next: { href: here, label: headingOf(words, about) },
    }));

  /** An address may have a name in place of an id. */
  const withId = (
    hasId: boolean,
    act: (
      id: string,
      session: Visitor,
      request: FastifyRequest,
      reply: FastifyReply,
    ) => Promise<FastifyReply>,
  ): Handler =>
    guarded(async (session, request, reply) => {
      if (!hasId) return act('', session, request, reply);
      const id = await namedBy(servicesOf(session), about, idOf(request));
      return id.ok ? act(id.value, session, request, reply) : ambiguous(reply, id);
    });

  const list = guarded(async (session, request, reply) => {
    const { words } = session.reader;
    const services = servicesOf(session);
    const hadEnded = one(queryOf(request), 'problem') === sessionEnded;
    const query = new Map([...queryOf(request)].filter(([name]) => name !== 'problem' || !hadEnded));
    const { after, from, back } = pagingIn(query);
    const sent = [...query].filter(([name]) => !['after', 'from', 'back'].includes(name));
    const isFiltered = sent.some(([name, values]) => name !== 'sort' && values.some((value) => value !== ''));
    const typed = Object.fromEntries(
      sent
        .map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? '')] as const)
        .filter(([, value]) => value !== ''),
    );
    const resolved = await idsOfNames(words, services, about.filters, typed);
    const given = { ...typed, ...resolved.ids };
    const read = readInput(about.filters, given);
    const wrong = read.ok
      ? [cursorProblem(about, read.value, after)].filter((each) => each !== null)
      : read.problems;
    const isRead = read.ok && wrong.length === 0 && resolved.problems.length === 0;
    const all = isFiltered ? null : await countOf();
    const page = { after, limit: perPage, ...(all === null && { countTo: mostCounted }) };
    const listed: Listed = isRead ? await about.list(services, read.value, page) : { items: [], next: null };
    const showing = await showingOf(session, services, [
      ...idsIn(fields, ...listed.items),
      ...idsOfInput(about.filters, given),
    ]);
    const problems = [...wrong.map((each) => allowedIn(words, each)), ...resolved.problems];
    const html = entityListPage({
      ...formView(browser, session),
      here: base + here,
      crumbs: audience.crumbs(session.reader),
      heading: headingOf(words, about),
      ...filtersOf(about, base + here, { given: sent, problems, options: resolved.options, showing }),
      columns: columnsOf(
        showing,
        about,
        null,
        listed.items,
        sortingFor(session.reader, about, base + here, sent),
      ),
      rows: listed.items,
      isFiltered,
      none: audience.none?.(session.reader) ?? null,
      paging: pagingOf(base + here, sent, { after, from, back }, listed, all ?? listed.total ?? null),
      making: (about.making ?? []).map((task) => ({
        href: `${base}${here}/${task.name}`,
        label: buttonOf(words, about, task),
      })),
      problem:
        (hadEnded ? words.account.sessionEnded : null) ??
        (isRead
          ? null
          : words.operator.notSearched(
              wrong.length === 0
                ? resolved.problems.map(({ text }) => text).join(' ')
                : allAllowedIn(words, wrong),
            )),
    });
    return sendPage(reply, isRead ? 200 : 400, html, 'stays-here');
  });

  const countOf = async () => (await audience.countOf?.(about)) ?? null;

  const show = withId(true, async (id, session, request, reply) => {
    const services = servicesOf(session);
    const json = await about.show(services, id);
    if (json === null) return unknown(reply);
    const { reader } = session;
    const hasLogo = json['has_logo'] === true;
    const read = sections.map(async (section) => ({
      section,
      found: await readSection(services, section, id),
    }));
    const [found, shown, logo] = await Promise.all([
      Promise.all(read),
      showingOf(session, services, idsIn(fields, json)),
      withTimeoutOrNull(1_000, services.commands.addonLogo({ addonId: id, hasLogo })),
    ]);
    const showing = { ...shown, logo };
    const path = base + pageOf(about, id);
    const changePath = (key: string) => {
      const change = changeOf(about, key, json);
      return change && `${path}/${change.task.name}${change.query}`;
    };
    const view = formView(browser, session);
    const html = entityPage({
      ...view,
      crumbs: crumbsOf(reader),
      title: titleOf(showing, json) ?? id,
      heading: titleHtml(showing, json),
      facts: factsOf(showing, about, json, changePath),
      standing: audience.standing?.(session, json) ?? null,
      sections: found.map((each) => sectionHtml({ ...showing, ...view, id, json }, each)),
      related: relatedTo(reader.words, about, id).map(({ href, label }) => ({ href: base + href, label })),
      actions: actionsOf(about, json)
        .filter((task) => !inSections.has(task))
        .map((task) => ({
          href: `${path}/${task.name}`,
          label: buttonOf(reader.words, about, task),
          isEnd: isEnding(task),
        })),
      done: await doneIn(session, services, request),
    });
    return sendPage(reply, 200, html, 'stays-here');
  });

  type Below = Showing &
    Pick<FormView, 'csrf'> & { readonly words: Words; readonly id: string; readonly json: Json };
  type ReadSection = { readonly section: Section; readonly found: Awaited<ReturnType<typeof readSection>> };

  /** What there is, and what can be done there. */
  const sectionHtml = (below: Below, { section, found }: ReadSection): Html => {
    const { words, id, json } = below;
    const { name, read, tasks } = section;
    const part = itemsIn(section);
    const content = () => {
      if (!('json' in found)) return empty(refusalIn(words, found));
      const ways = tasks
        .filter((task) => !task.of && isUseful(task, json))
        .map((task) => markup`${wayTo(below, task)} `);
      const buttons = ways.length > 0 && markup`<div class="actions">${ways}</div>`;
      const intro = introOf(words, about, name, found.json);
      const said = intro !== '' && markup`<p>${intro}</p>`;
      if (part === null)
        return markup`${said}${facts(below.reader, answerFacts(below, shownFields(read.answers?.shape), found.json))}${buttons}`;
      const items = found.json[read.rows?.of ?? ''] as readonly Json[];
      if (items.length === 0)
        return markup`${intro === '' ? empty(noneIn(words, about, name)) : said}${buttons}`;
      const columns = [...columnsOf(below, about, part, items), ...actionsOn(part, items, below, id)];
      return markup`${said}${table(labelOf(words, name), columns, items, true)}${buttons}`;
    };
    return card(labelOf(words, name), content(), name);
  };

  /** Done at once where there is nothing to ask and nothing ends; otherwise on a page of its own. */
  const wayTo = (
    { words, csrf, id }: Pick<Below, 'words' | 'csrf' | 'id'>,
    task: Task,
    item?: readonly [string, string],
  ) => {
    const path = `${base}${pageOf(about, id)}/${task.name}`;
    const asksNothing = Object.keys(bodyIn(task).shape).every((field) => field === task.of?.field);
    const label = buttonOf(words, about, task);
    if (!asksNothing || isEnding(task)) {
      const href = item === undefined ? path : `${path}?${new URLSearchParams([[...item]]).toString()}`;
      return item === undefined
        ? markup`<a class="button plain" href="${href}">${label}</a>`
        : link(href, label);
    }
    const named = item && markup`<input type="hidden" name="${item[0]}" value="${item[1]}">`;
    return markup`<form method="post" action="${path}"><input type="hidden" name="csrf" value="${csrf}">${named}<button type="submit" class="plain">${label}</button></form>`;
  };

  /** Only our own redirect may say that something was done. */
  const doneIn = async (
    { reader: { words } }: Visitor,
    services: Services,
    request: FastifyRequest,
  ): Promise<PagePart> => {
    const query: Params = isFromAnotherSite(request) ? new Map() : queryOf(request);
    const tasks = [...about.tasks, ...(about.making ?? [])];
    const named = (asked: string | undefined) => tasks.find(({ name }) => name === asked);
    const [done, unchanged] = [named(one(query, 'done')), named(one(query, 'unchanged'))];
    const persons = await personsOf(services, whomIn(query, done ?? unchanged));
    const told = persons.map((person) => markup` ${saidOf(words, person)}`);
    const said = (task: Task) => summaryOf(words, about, task);
    if (done) return markup`${words.operator.done(said(done), uncapitalized(said(done)))}${told}`;
    return unchanged !== undefined && markup`${words.operator.unchanged(said(unchanged))}${told}`;
  };

  const listOf = (part: Part): Handler =>
    withId(true, async (id, session, request, reply) => {
      const services = servicesOf(session);
      const { after, from, back } = pagingIn(queryOf(request));
      const found = (await listPart(services, about, part, id, { after, limit: perPage })) as
        (Json & Listed) | null;
      if (found === null) return unknown(reply);
      const path = `${base}${pageOf(about, id)}/${part.name}`;
      const { reader } = session;
      const showing = await showingOf(session, services, [
        ...idsIn(fields, found),
        ...idsIn(itemFields(part), ...found.items),
      ]);
      const view = formView(browser, session);
      const html = entityListPage({
        ...view,
        here: path,
        crumbs: [...crumbsOf(reader), { href: pageOf(about, id), label: titleHtml(showing, found) }],
        heading: labelOf(reader.words, part.name),
        tabs: [],
        fields: [],
        kept: [],
        columns: [
          ...columnsOf(showing, about, part, found.items),
          ...actionsOn(part, found.items, { ...showing, ...view }, id),
        ],
        rows: found.items,
        isFiltered: false,
        none: null,
        paging: pagingOf(path, [], { after, from, back }, found, null),
        making: [],
        problem: null,
      });
      return sendPage(reply, 200, html, 'stays-here');
    });

  /** What can be done to each item of a list, where there is anything. */
  const actionsOn = (
    part: Items,
    items: readonly Json[],
    view: Pick<Below, 'words' | 'csrf'>,
    id: string,
  ): readonly Column<Json>[] => {
    const ways = (item: Json) =>
      about.tasks.flatMap((task) => {
        const { part: of, field = '', key = '', isPossible = () => true } = task.of ?? {};
        if (task.isRead || of !== part.name || !isPossible(item, items)) return [];
        return [markup`<div>${wayTo({ ...view, id }, task, [field, String(item[key])])}</div>`];
      });
    const isUsed = items.some((item) => ways(item).length > 0);
    return isUsed ? [{ label: view.words.admin.action, cell: (item) => markup`${ways(item)}` }] : [];
  };

  /** The item that a form is about, by its id in the address or in the form; null: there is none. */
  const itemOf = async (services: Services, { of }: Task, id: string, given: Params) => {
    const part = itemsOf(about, of?.part);
    const wanted = of && only(given, of.field);
    if (!of || !part || wanted === undefined) return null;
    const { items } = await part.list(services, id, { after: null, limit: mostCounted });
    const item = items.find((each) => each[of.key] === wanted);
    return item ? { item, isPossible: of.isPossible?.(item, items) ?? true } : null;
  };

  type Asking = {
    readonly task: Task;
    readonly id: string;
    /** What was sent: it names the item. */
    readonly given: Params;
    readonly about?: string;
    readonly filled: Filled;
    readonly problem: string | null;
    /** Who is to get it. */
    readonly whom?: string | undefined;
  };

  const sendTask = async (session: Visitor, reply: FastifyReply, asking: Asking) => {
    const { task, id, given, about: key, filled, problem, whom } = asking;
    const { reader } = session;
    const { words } = reader;
    const crumbs = crumbsOf(reader);
    const isThere = id !== '';
    const services = servicesOf(session);
    const found = await itemOf(services, task, id, given);
    const item = found?.item ?? null;
    const isDone = found?.isPossible === false;
    // Before what is shown, so that the form is never of a newer version than it shows.
    const revision = isThere ? await newestIn(services, about.stream(id)) : null;
    const [json, ends, [person = null]] = await Promise.all([
      isThere ? about.show(services, id) : {},
      isThere ? whatEnds(words, services, about, task, id).catch(() => []) : [],
      personsOf(services, whom === undefined ? [] : [whom]),
    ]);
    if (json === null) return unknown(reply);
    if (task.of && (item === null || isDone) && problem === null)
      return reply.redirect(base + placeOf(task, id), 303);
    const showing = await showingOf(session, services, [
      ...idsIn(fields, json),
      ...(item ? idsIn(itemFields(itemsOf(about, task.of?.part)), item) : []),
    ]);
    const path = isThere ? pageOf(about, id) : here;
    const title = isThere ? (titleOf(showing, json) ?? id) : null;
    const html = taskPage({
      ...formView(browser, session),
      crumbs: isThere ? [...crumbs, { href: path, label: titleHtml(showing, json) }] : crumbs,
      summary: key === undefined ? summaryOf(words, about, task) : labelOf(words, key),
      submit: key === undefined ? buttonOf(words, about, task) : words.operator.save,
      title,
      heading: isThere ? titleHtml(showing, json) : null,
      effect: effectOf(words, about, task, services),
      ends,
      isEnd: isEnding(task),
      isFinal: task.isFinal ?? false,
      action: `${base}${path}/${task.name}`,
      field: key ?? null,
      cancel: base + path,
      fields: formFields(
        words,
        about,
        task,
        fieldsAbout(task, bodyIn(task), key, filled),
        json,
        filled,
        (each) => showing.names.get(each) ?? each,
      ),
      item:
        item && task.of
          ? {
              field: task.of.field,
              id: String(item[task.of.key]),
              facts: itemFacts(showing, about, task, item),
            }
          : null,
      back: !task.of || (item !== null && !isDone) ? null : words.operator.backTo(nounOf(words, about)),
      revision: task.shows ? String(item?.['revision']) : String(revision ?? ''),
      problem,
      to: person && { id: person.user_id, said: saidOf(words, person) },
    });
    return sendPage(reply, problem === null ? 200 : 409, html, 'stays-here');
  };

  /** Where the item is that a task is about. */
  const placeOf = ({ of }: Task, id: string): string =>
    pageOf(about, id) +
    (about.parts?.some(({ name }) => name === of?.part) === true ? `/${of?.part ?? ''}` : '');

  const keyIn = (request: FastifyRequest): { readonly about?: string } => {
    const key = only(request.method === 'POST' ? formOf(request) : queryOf(request), 'field');
    return key === undefined || !/^[a-z_]{1,64}$/.test(key) ? {} : { about: key };
  };

  const ask = (task: Task, hasId: boolean): Handler =>
    withId(hasId, (id, session, request, reply) =>
      sendTask(session, reply, {
        task,
        id,
        given: queryOf(request),
        ...keyIn(request),
        filled: nothingTyped,
        problem: null,
        whom: task.toWhom === toItself ? id : undefined,
      }),
    );

  const act = (task: Task, hasId: boolean): Handler =>
    withId(hasId, async (id, session, request, reply) => {
      const { words } = session.reader;
      const services = servicesOf(session);
      const form = formOf(request);
      const back = (problem: string, problems: Filled['problems'] = [], options: Filled['options'] = {}) =>
        sendTask(session, reply, {
          task,
          id,
          given: form,
          ...keyIn(request),
          filled: { typed: form, problems, options },
          problem,
          whom: whomIn(form, task)[0],
        });
      const before = hasId ? await about.show(services, id) : {};
      if (before === null) return unknown(reply);
      const sent = inputOf(task, bodyIn(task), form, before);
      const resolved = await idsOfNames(words, services, task.input, sent);
      if (resolved.problems.length > 0)
        return back(
          words.operator.notDone(resolved.problems.map(({ text }) => text).join(' ')),
          resolved.problems,
          resolved.options,
        );
      const read = readInput(bodyIn(task), { ...sent, ...resolved.ids }, task.rules);
      if (!read.ok)
        return back(
          words.operator.notDone(allAllowedIn(words, read.problems)),
          read.problems.map((each) => allowedIn(words, each)),
        );
      if (task.isFinal && one(form, 'sure') === undefined)
        return back(words.operator.notDone(words.operator.confirm));
      const { reason, ...input } = read.value as Json & { readonly reason?: string };
      const [whom] = [(await task.toWhom?.(id, input, services)) ?? []].flat();
      if (whom !== undefined && one(form, 'to') !== whom) {
        const filled = { typed: form, problems: [], options: {} };
        return sendTask(session, reply, {
          task,
          id,
          given: form,
          ...keyIn(request),
          filled,
          problem: null,
          whom,
        });
      }
      const shownAt = /^\d{1,18}$/.test(one(form, 'revision') ?? '') ? one(form, 'revision') : undefined;
      const done = await perform(
        services,
        about,
        task,
        // What changes something else has its own revision, which the page does not show.
        {
          id,
          input,
          ...(shownAt !== undefined && !task.stream && !task.shows && { shownAt: [BigInt(shownAt)] }),
        },
        {
          ...contextOf(request),
          acting: { actor: session.userId, tokenId: null },
          ...(reason !== undefined && { reason }),
        },
      );
      if (!done.ok) {
        const problems = (done.problems ?? []).map((each) => problemIn(words, each));
        const { retryAt } = done;
        const why = retryAt === undefined ? null : words.publisher.tooOften(session.reader.momentOf(retryAt));
        return back(why ?? refusalIn(words, done), problems);
      }
      const [once, extra] = shownOnce(done.extra);
      const isOnThePage = once === null && inSections.has(task);
      if (Object.keys(done.extra).length === 0 || isOnThePage)
        return reply.redirect(
          `${base}${pageOf(about, done.id)}?${done.changed || isOnThePage ? 'done' : 'unchanged'}=${task.name}${whom === undefined ? '' : `&to=${whom}`}`,
          303,
        );
      const answered = shownFields(about.shape, ...answeredBy(task));
      const showing = await showingOf(session, services, idsIn(answered, extra));
      const html = entityDonePage({
        ...pageView(browser, session),
        title: summaryOf(words, about, task),
        text: linesWithout(once, doneWords(words, about, task, done)),
        once,
        facts: task.shows ? itemFacts(showing, about, task, extra) : answerFacts(showing, answered, extra),
        back: done.isThere
          ? { href: base + pageOf(about, done.id), label: words.operator.backTo(nounOf(words, about)) }
          : { href: base + here, label: words.operator.backToAll(headingOf(words, about)) },
      });
      return sendPage(reply, 200, html, 'stays-here', true);
    });

  return { list, listOf, show, ask, act };
};

/** Who is to get something, as it was sent; nobody where the task gives nothing: whoever asks would be shown any person. */
const whomIn = (given: Params, task: Task | undefined): readonly string[] =>
  task?.toWhom === undefined ? [] : [one(given, 'to') ?? []].flat();

/** Who gets it: with the address, and whether anybody vouches for it. */
const saidOf = (words: Words, { user_id: id, name, email, email_verified: isVerified }: Person): Html =>
  withParts(words.operator.givenTo(markName('who'), email === null ? null : isVerified), {
    who: markup`<strong>${nameOf(name)}${email !== null && markup`, ${nameOf(email)}`}</strong> <code class="id">${id}</code>`,
  });

/** What an answer has that is never shown again, and the rest. */
const shownOnce = (extra: Json): readonly [once: string | null, rest: Json] => {
  const key = ['link', 'token', 'client_secret'].find((name) => typeof extra[name] === 'string');
  if (key === undefined) return [null, extra];
  const { [key]: once, ...rest } = extra;
  return [String(once as string), rest];
};

/** What is shown as a block of its own is not in the text, too. */
const linesWithout = (once: string | null, text: string): string =>
  once === null
    ? text
    : text
        .split('\n')
        .filter((line) => !line.includes(once))
        .join('\n');

/** How many earlier pages an address leads back to, and how long they may make it: a place in a sorted list has the value, too. */
const mostBack = 40;
const longestBack = 1_600;

type PagingIn = { readonly after: string | null; readonly from: number; readonly back: readonly string[] };

const pagingIn = (query: Params): PagingIn => {
  const from = Number(/^\d{1,9}$/.exec(only(query, 'from') ?? '')?.[0] ?? 1);
  const after = only(query, 'after') ?? '';
  const back = (only(query, 'back') ?? '').split(',').slice(-mostBack);
  return { after: after === '' ? null : after, from: Math.max(1, from), back: after === '' ? [] : back };
};

/** Lists go on after an id; an address carries the ids of the pages before it. */
const pagingOf = (
  here: string,
  sent: Sent,
  { after, from, back }: PagingIn,
  { items, next }: Listed,
  all: Paging['all'],
): Paging => {
  const to = (more: Readonly<Record<string, string>>) => addressOf(here, sent, more);
  const before = back.at(-1) ?? '';
  const previousFrom = String(Math.max(1, from - perPage));
  const whole = { count: from + items.length - 1, isMore: next !== null };
  return {
    from,
    shown: items.length,
    all: all ?? (next === null ? whole : null),
    first: after === null ? null : to({}),
    previous:
      after === null
        ? null
        : before === ''
          ? to({})
          : to({ after: before, from: previousFrom, back: back.slice(0, -1).join(',') }),
    next:
      next === null
        ? null
        : to({
            after: next,
            from: String(from + items.length),
            back: joined([...back, after ?? '']),
          }),
  };
};

const joined = (back: readonly string[]): string => {
  const kept = back.slice(-mostBack);
  while (kept.join(',').length > longestBack) kept.shift();
  return kept.join(',');
};

/** The address of a list with what was sent and more. */
const addressOf = (here: string, sent: Sent, more: Readonly<Record<string, string>>): string => {
  const filters = sent
    .map(([name, values]): [string, string] => [name, values[0] ?? ''])
    .filter(([name, value]) => value !== '' && !(name in more));
  const query = new URLSearchParams([...filters, ...Object.entries(more)]).toString();
  return query === '' ? here : `${here}?${query}`;
};

type Sent = readonly (readonly [name: string, values: readonly string[]])[];

const sortingFor = (reader: Reader, about: Entity, here: string, sent: Sent): Sorting => {
  const orders = fieldsOf(about.filters).find(({ name }) => name === 'sort')?.values ?? [];
  const [usual = ''] = orders;
  const given = sent.find(([name]) => name === 'sort')?.[1][0] ?? '';
  return sortingOf(reader, orders, given === '' ? usual : given, (sort) => addressOf(here, sent, { sort }));
};

/** Own fields of every form. */
const ofTheForm = new Set(['csrf', 'field', 'revision', 'sure', 'to']);

/**
 * The fields of a form as the task takes them. An empty field was not filled in; a repeated one is refused. A proposal is
 * what is not so already.
 */
const inputOf = ({ isProposal }: Task, input: z.ZodObject, form: Params, before: Json): Json => {
  const kinds = new Map(fieldsOf(input).map(({ name, kind }) => [name, kind]));
  const fields = [...form].flatMap(([name, values]): readonly (readonly [string, unknown])[] => {
    const [value = ''] = values;
    if (values.length > 1) return [[name, values]];
    if ((ofTheForm.has(name) && !kinds.has(name)) || value.trim() === '') return [];
    if (isProposal === true && value === before[name]) return [];
    if (kinds.get(name) === 'flag') return [[name, value === 'on' ? true : value]];
    if (kinds.get(name) === 'number') return [[name, asNumber(value)]];
    if (kinds.get(name) !== 'several') return [[name, value]];
    return [
      [
        name,
        value
          .split(/\r?\n/)
          .map((line) => line.trim())
          .filter((line) => line !== ''),
      ],
    ];
  });
  return Object.fromEntries(fields);
};

const asNumber = (value: string): unknown => (/^\d{1,9}$/.test(value.trim()) ? Number(value) : value);
