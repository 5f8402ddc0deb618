import type { FastifyInstance } from 'fastify';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { Words } from '../../common/words.ts';
import { idsIn, shownFields } from '../../tasks/answer-fields.ts';
import { bodyLimitOf, fieldsOf, idsOfInput, readInput } from '../../tasks/fields.ts';
import {
  itemsIn,
  listsIn,
  readSection,
  sectionsOf,
  tasksOfItem,
  tasksOfList,
  type Items,
  type Section,
} from '../../tasks/sections.ts';
import {
  cursorProblem,
  listPart,
  type Json,
  type Listed,
  type Part,
  type Services,
  type Task,
} from '../../tasks/task.ts';
import { sessionEnded } from '../account/views/account-page.ts';
import { pagePath, type Handler } from '../base/routes.ts';
import { card, facts, table, type Tab } from '../pages/components.ts';
import { dataUrlOf } from '../pages/data-url.ts';
import { markup, type Html, type Part as PagePart } from '../pages/html.ts';
import { list as listHtml, menu, menuColumn, type ListColumn } from '../pages/list.ts';
import { sendPage } from '../pages/page-answer.ts';
import type { FormView } from '../pages/render.ts';
import { one, queryOf } from '../requests/params.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { acceptFiles } from './accept-files.ts';
import { makePlace, type PageAudience, type Place } from './audience.ts';
import { choicesOf } from './choices.ts';
import { filtersOf, idsOfNames } from './filters.ts';
import {
  allAllowedIn,
  allowedIn,
  buttonOf,
  headingOf,
  introOf,
  labelOf,
  noneIn,
  refusalIn,
} from './in-words.ts';
import { ofPaging, pagingIn, pagingOf, perPage, sortingFor, usualSort } from './paging.ts';
import {
  answerFacts,
  columnsOf,
  factsOf,
  headOf,
  itemFacts,
  relatedTo,
  titleHtml,
  titleOf,
  type Showing,
} from './shown.ts';
import {
  actionsOf,
  actionsOnItem,
  changeOf,
  fieldsAbout,
  isEnding,
  isUseful,
  namingItem,
  nothingTyped,
} from './task-forms.ts';
import { makeTaskPages } from './task-pages.ts';
import { entityListPage } from './views/entity-list-page.ts';
import { entityPage, waitingCard } from './views/entity-page.ts';

/** To how many what matches filters is counted, and what a thing has. */
const mostCounted = 1_000;
const mostOfAll = 100_000;
const mostItems = 100;
/** In milliseconds: without the counts a page is as good. */
const countPatience = 500;

/** The pages of an audience: lists, a page of each thing, and a page for each task. */
export const registerEntityPages = (app: FastifyInstance, audience: PageAudience): void => {
  const refuse = methodNotAllowedPage(audience.browser);
  for (const about of audience.entities) {
    const place = makePlace(audience, about);
    const pages = { ...makePages(place), ...makeTaskPages(place) };
    const item = decodeURIComponent(place.pageOf(`{${about.idKey}}`));
    pagePath(app, place.here, { GET: pages.list }, refuse);
    pagePath(app, item, { GET: pages.show }, refuse);
    for (const part of about.parts ?? [])
      pagePath(app, `${item}/${part.name}`, { GET: pages.listOf(part) }, refuse);
    const reads = sectionsOf(about).map(({ read }) => read);
    for (const task of about.tasks.filter((each) => !each.isRead || (!each.of && !reads.includes(each)))) {
      const bodyLimit = bodyLimitOf(task.input);
      const methods = { GET: pages.ask(task, true), POST: pages.act(task, true) };
      const add = (scope: FastifyInstance) =>
        pagePath(scope, `${item}/${task.name}`, methods, refuse, bodyLimit === null ? {} : { bodyLimit });
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
        `${place.here}/${task.name}`,
        { GET: pages.ask(task, false), POST: pages.act(task, false) },
        refuse,
      );
  }
};

type Below = Showing &
  Pick<FormView, 'csrf'> & { readonly words: Words; readonly id: string; readonly json: Json };
type ReadSection = { readonly section: Section; readonly found: Awaited<ReturnType<typeof readSection>> };

const makePages = (place: Place) => {
  const { about, audience, base, here, pageOf, fields, itemFields, servicesOf, bodyIn } = place;
  const sections = sectionsOf(about);
  const inSections = new Set(sections.flatMap(({ tasks }) => tasks));

  const list = place.guarded(async (session, request, reply) => {
    const { reader } = session;
    const { words } = reader;
    const services = servicesOf(session);
    const hadEnded = one(queryOf(request), 'problem') === sessionEnded;
    const query = new Map([...queryOf(request)].filter(([name]) => name !== 'problem' || !hadEnded));
    const at = pagingIn(query);
    const sent = [...query].filter(([name]) => !ofPaging.includes(name));
    const isFiltered = sent.some(([name, values]) => name !== 'sort' && values.some((value) => value !== ''));
    const typed = Object.fromEntries(
      sent
        .map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? '')] as const)
        .filter(([, value]) => value !== ''),
    );
    const resolved = await idsOfNames(words, services, about.filters, typed);
    const sort = usualSort(about);
    const given = { ...(sort !== null && { sort }), ...typed, ...resolved.ids };
    const read = readInput(about.filters, given);
    const wrong = read.ok
      ? [cursorProblem(about, read.value, at.after)].filter((each) => each !== null)
      : read.problems;
    const isRead = read.ok && wrong.length === 0 && resolved.problems.length === 0;
    const page = { after: at.after, limit: perPage, countTo: isFiltered ? mostCounted : mostOfAll };
    const [{ waiting, ...view }, listed, choices] = await Promise.all([
      place.viewOf(session),
      isRead ? about.list(services, read.value, page) : ({ items: [], next: null } as Listed),
      choicesOf(services, fieldsOf(about.filters)),
    ]);
    const showing = await place.showingOf(session, services, [
      ...idsIn(fields, ...listed.items),
      ...idsOfInput(about.filters, given),
    ]);
    const problems = [...wrong.map((each) => allowedIn(words, each)), ...resolved.problems];
    const ways = (item: Json) =>
      actionsOf(about, item).map((task) => wayTo({ words, id: String(item[about.idKey]) }, task, [], 'menu'));
    const html = entityListPage({
      ...view,
      here: base + here,
      crumbs: audience.crumbs(reader),
      heading: audience.headingOf(words, about),
      done: null,
      ...filtersOf(about, base + here, {
        given: sent,
        ...resolved,
        problems,
        choices,
        showing,
        waiting,
      }),
      columns: [
        ...columnsOf(showing, about, null, listed.items, sortingFor(reader, about, base + here, sent)),
        menuColumn(reader, (item) => titleOf(showing, item) ?? '', ways),
      ],
      rows: listed.items,
      isFiltered,
      none: audience.none?.(reader) ?? null,
      paging: pagingOf(base + here, sent, at, listed, listed.total ?? null),
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

  const show = place.withId(true, async (id, session, request, reply) => {
    const services = servicesOf(session);
    const json = await about.show(services, id);
    if (json === null) return place.unknown(reply);
    const { reader } = session;
    const parts = readParts(services, id);
    const [view, found, waiting, tabs, logo] = await Promise.all([
      place.viewOf(session),
      Promise.all(
        sections.map(async (section) => ({ section, found: await readSection(services, section, id) })),
      ),
      waitingIn(parts),
      tabsOf(services, reader.words, id, null, parts),
      withTimeoutOrNull(
        1_000,
        services.commands.addonLogo({ addonId: id, hasLogo: json['has_logo'] === true }),
      ),
    ]);
    const shown = await place.showingOf(session, services, [
      ...idsIn(fields, json),
      ...waiting.flatMap(({ part, items }) => idsIn(itemFields(part), ...items)),
    ]);
    const path = base + pageOf(id);
    const below = { ...shown, logo, ...view, words: reader.words, id, json };
    const changePath = (key: string) => {
      const change = changeOf(about, key, json);
      return change && `${path}/${change.task.name}${change.query}`;
    };
    const actions = actionsOf(about, json).filter((task) => !inSections.has(task));
    const main = actions.find(({ isMain }) => isMain === true);
    const title = titleOf(below, json) ?? id;
    const html = entityPage({
      ...view,
      crumbs: place.crumbsOf(reader),
      title,
      heading: titleHtml(below, json),
      logo: logo && dataUrlOf(logo),
      head: headOf(below, about, json),
      actions: [
        main && wayTo(below, main),
        menu(
          reader.words.parts.actionsOf(title),
          actions.filter((task) => task !== main).map((task) => wayTo(below, task, [], 'menu')),
        ),
      ],
      waiting: waiting.flatMap(({ part, items }) => items.map((item) => waitingHtml(below, part, item))),
      tabs,
      facts: factsOf(below, about, json, changePath),
      lists: listsIn(about).map((items) => listHtmlOf(below, items, json[items.name] as readonly Json[])),
      sections: found.map((each) => sectionHtml(below, each)),
      done: await place.doneIn(session, services, request),
    });
    return sendPage(reply, 200, html, 'stays-here');
  });

  type Parts = readonly { readonly part: Part; readonly listed: Promise<Listed> }[];

  /** The beginning of each of its lists; whoever needs one waits for it. */
  const readParts = (services: Services, id: string): Parts =>
    (about.parts ?? []).map((part) => ({
      part,
      listed: part.list(services, id, { after: null, limit: mostItems }),
    }));

  /** What waits for somebody to decide. */
  const waitingIn = (parts: Parts) =>
    Promise.all(
      parts
        .filter(({ part }) => part.isWaiting !== undefined)
        .map(async ({ part, listed }) => ({
          part,
          items: (await listed).items.filter((item) => part.isWaiting?.(item)),
        })),
    );

  /** Its overview, its lists, and lists of other things that can be filtered by it, with how many there are. */
  const tabsOf = async (
    services: Services,
    words: Words,
    id: string,
    current: Part | null,
    read: Parts,
  ): Promise<readonly Tab[]> => {
    const parts = read.map(async ({ part, listed }): Promise<Tab> => {
      const found = await withTimeoutOrNull(countPatience, listed);
      return {
        href: `${base}${pageOf(id)}/${part.name}`,
        label: labelOf(words, part.name),
        ...(found && { count: found.items.length, isMore: found.next !== null }),
        isCurrent: part === current,
      };
    });
    const related = relatedTo(audience.entities, about).map(async (other): Promise<Tab> => {
      const filters = { [about.name]: id };
      const page = { after: null, limit: 1, countTo: mostCounted };
      const found = await withTimeoutOrNull(countPatience, other.list(services, filters, page));
      return {
        href: `${base}${audience.listAt(other)}?${new URLSearchParams(filters).toString()}`,
        label: headingOf(words, other),
        ...(found?.total && { count: found.total.count, isMore: found.total.isMore }),
        isCurrent: false,
      };
    });
    const all = await Promise.all([...parts, ...related]);
    const overview = { href: base + pageOf(id), label: words.operator.overview, isCurrent: current === null };
    return all.length === 0 ? [] : [overview, ...all];
  };

  /** What waits, with what it does, and both decisions. */
  const waitingHtml = (below: Below, part: Part, item: Json): Html => {
    const tasks = actionsOnItem(about, part.name, item, [item]);
    const [first] = tasks;
    return waitingCard({
      reader: below.reader,
      title: below.words.operator.waits,
      facts: first ? itemFacts(below, about, first, item, 'briefly') : [],
      whole: first ? itemFacts(below, about, first, item, 'whole') : [],
      ways: tasks.map((task, index) =>
        wayTo(below, task, namingItem(task, item), index > 0 ? 'button plain' : 'button'),
      ),
    });
  };

  /** A list of things, each with what can be done to it, and what can be added. */
  const listHtmlOf = (below: Below, items: Items, rows: readonly Json[]): Html => {
    const { words } = below;
    const title = labelOf(words, items.name);
    const content =
      rows.length === 0 ? markup`<p class="soft">${words.operator.none}</p>` : tableOf(below, items, rows);
    return card(title, content, items.name, waysInto(below, tasksOfList(about, items.name)));
  };

  /** Things have an id, or something to do; values are compared. */
  const isOfThings = ({ name, columns }: Items): boolean =>
    tasksOfItem(about, name).length > 0 || Object.keys(columns).some((key) => key.endsWith('_id'));

  const tableOf = (below: Below, items: Items, rows: readonly Json[]): Html => {
    const title = labelOf(below.words, items.name);
    const columns = columnsOf(below, about, items, rows);
    return isOfThings(items)
      ? listHtml(title, [...columns, menuOfItems(items, rows, below)], rows)
      : table(title, columns, rows, true);
  };

  const waysInto = (below: Below, tasks: readonly Task[]): readonly PagePart[] =>
    tasks
      .filter((task) => isUseful(task, below.json))
      .map((task) => markup`${wayTo(below, task, [], 'button plain')} `);

  /** What there is, and what can be done there. */
  const sectionHtml = (below: Below, { section, found }: ReadSection): Html => {
    const { words } = below;
    const { name, read, tasks } = section;
    const part = itemsIn(section);
    const content = () => {
      if (!('json' in found)) return markup`<p class="soft">${refusalIn(words, found)}</p>`;
      const intro = introOf(words, about, name, found.json);
      const said = intro !== '' && markup`<p>${intro}</p>`;
      if (part === null)
        return markup`${said}${facts(below.reader, answerFacts(below, shownFields(read.answers?.shape), found.json))}`;
      const items = found.json[read.rows?.of ?? ''] as readonly Json[];
      if (items.length === 0)
        return intro === '' ? markup`<p class="soft">${noneIn(words, about, name)}</p>` : said;
      return markup`${said}${tableOf(below, part, items)}`;
    };
    const ways = tasks.filter((task) => !task.of);
    return card(labelOf(words, name), content(), name, 'json' in found ? waysInto(below, ways) : []);
  };

  type Naming = ReturnType<typeof namingItem>;
  /** Without the secret of the session a page of its own asks. */
  type WayTo = Pick<Below, 'words' | 'id'> & Partial<Pick<Below, 'csrf'>>;

  /** Done at once where there is nothing to ask and nothing ends; otherwise on a page of its own. */
  const wayTo = (
    { words, csrf, id }: WayTo,
    task: Task,
    naming: Naming = [],
    as: 'button' | 'button plain' | 'menu' = 'button',
  ): Html => {
    const path = `${base}${pageOf(id)}/${task.name}`;
    const label = buttonOf(words, about, task);
    const asksNothing = fieldsAbout(task, bodyIn(task), undefined, nothingTyped).length === 0;
    if (csrf === undefined || !asksNothing || isEnding(task)) {
      const query = new URLSearchParams(naming.map(([...pair]) => pair)).toString();
      const kind = as === 'menu' ? isEnding(task) && 'wrong' : as;
      return markup`<a${kind !== false && markup` class="${kind}"`} href="${path}${query !== '' && `?${query}`}">${label}</a>`;
    }
    const named = naming.map(
      ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
    );
    return markup`<form method="post" action="${path}"><input type="hidden" name="csrf" value="${csrf}">${named}<button type="submit"${as === 'button plain' && markup` class="plain"`}>${label}</button></form>`;
  };

  const menuOfItems = (
    items: Items,
    rows: readonly Json[],
    below: Pick<Below, 'words' | 'id' | 'names' | 'csrf'>,
  ): ListColumn<Json> =>
    menuColumn(
      below,
      (row) => {
        const [id = ''] = Object.values(row).filter((value) => typeof value === 'string');
        return typeof row['name'] === 'string' ? row['name'] : (below.names.get(id) ?? id);
      },
      (row) =>
        actionsOnItem(about, items.name, row, rows).map((task) =>
          wayTo(below, task, namingItem(task, row), 'menu'),
        ),
    );

  const listOf = (part: Part): Handler =>
    place.withId(true, async (id, session, request, reply) => {
      const services = servicesOf(session);
      const at = pagingIn(queryOf(request));
      const page = { after: at.after, limit: perPage };
      const found = (await listPart(services, about, part, id, page)) as (Json & Listed) | null;
      if (found === null) return place.unknown(reply);
      const path = `${base}${pageOf(id)}/${part.name}`;
      const { reader } = session;
      const { words } = reader;
      const [view, showing, tabs] = await Promise.all([
        place.viewOf(session),
        place.showingOf(session, services, [
          ...idsIn(fields, found),
          ...idsIn(itemFields(part), ...found.items),
        ]),
        tabsOf(services, words, id, part, readParts(services, id)),
      ]);
      const html = entityListPage({
        ...view,
        here: path,
        crumbs: [...place.crumbsOf(reader), { href: pageOf(id), label: titleHtml(showing, found) }],
        heading: labelOf(words, part.name),
        done: await place.doneIn(session, services, request),
        tabs,
        fields: [],
        chips: [],
        kept: [],
        columns: [
          ...columnsOf(showing, about, part, found.items),
          menuOfItems(part, found.items, { ...showing, ...view, id }),
        ],
        rows: found.items,
        isFiltered: false,
        none: null,
        paging: pagingOf(path, [], at, found, null),
        making: tasksOfList(about, part.name)
          .filter((task) => isUseful(task, found))
          .map((task) => ({
            href: `${base}${pageOf(id)}/${task.name}`,
            label: buttonOf(words, about, task),
          })),
        problem: null,
      });
      return sendPage(reply, 200, html, 'stays-here');
    });

  return { list, listOf, show };
};
