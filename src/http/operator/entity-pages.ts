import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { entities } from '../../administration/entities.ts';
import { bodyLimitOf, bodyOf, fieldsOf, readInput, type InputProblem } from '../../administration/fields.ts';
import { perform, revisionOf } from '../../administration/perform.ts';
import { idOf as namedBy, listNamed, listPartNamed, namesIn } from '../../administration/find.ts';
import {
  type Entity,
  type Json,
  type Listed,
  type Part,
  type Task,
  type TaskRefused,
} from '../../administration/task.ts';
import type { Session } from '../../commands/sign-in/read-session.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import { sessionEnded, sessionEndedWords } from '../account/views/account-page.ts';
import type { Browser } from '../base/browser.ts';
import { pagePath, type Handler } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { isFromAnotherSite } from '../requests/from-another-site.ts';
import { formOf, one, queryOf, type Params } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import { acceptFiles } from './accept-files.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { isOperator } from './is-operator.ts';
import { cellsOf, factsOf, headingOf, labelOf, pageOf, relatedTo, rowOf } from './shown.ts';
import { entityListPage } from './views/entity-list-page.ts';
import { entityDonePage, entityPage, type TaskForm } from './views/entity-page.ts';

/** How many a page has. */
const perPage = 50;

type Filled = { readonly typed: Params; readonly problems: readonly Problem[] };
type Problem = { readonly field: string; readonly text: string };
const nothingTyped: Filled = { typed: new Map(), problems: [] };

/** Lets only operators pass, by their account in the log; all others get one answer. */
export const operatorsOnly =
  ({ message }: Browser, act: Act): Act =>
  (session, request, reply) =>
    isOperator(session)
      ? act(session, request, reply)
      : message(reply, 403, {
          title: 'You don’t have access',
          message: `Only operators see this page. You are signed in as ${markName(session.email)}.`,
          next: { href: '/account', label: 'Your account' },
        });

/** The operators' pages: lists with search and paging, and a page of each thing with a form for each task. */
export const registerEntityPages = (app: FastifyInstance, dependencies: OperatorDependencies): void => {
  const refuse = methodNotAllowedPage(dependencies.browser);
  for (const about of entities) {
    const pages = makePages(dependencies, about);
    const list = `/operator/${about.plural}`;
    const item = `${list}/{${about.idKey}}`;
    pagePath(app, list, { GET: pages.list }, refuse);
    pagePath(app, item, { GET: pages.show }, refuse);
    for (const part of about.parts ?? [])
      pagePath(app, `${item}/${part.name}`, { GET: pages.listOf(part) }, refuse);
    for (const task of about.tasks) {
      const bodyLimit = bodyLimitOf(task.input);
      const methods = { POST: pages.act(task, true) };
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
      pagePath(app, `${list}/${task.name}`, { POST: pages.act(task, false) }, refuse);
  }
};

const makePages = ({ browser, services }: OperatorDependencies, about: Entity) => {
  const { base, message } = browser;
  const here = `/operator/${about.plural}`;
  const heading = headingOf(about);
  const idOf = (request: FastifyRequest): string =>
    (request.params as Partial<Record<string, string>>)[about.idKey] ?? '';
  const guarded = (act: Act): Handler =>
    makeSignedIn(browser, (request) => (request.method === 'GET' ? request.url : here))(
      operatorsOnly(browser, act),
    );

  const unknown = (reply: FastifyReply): Promise<FastifyReply> =>
    message(reply, 404, {
      title: `No such ${about.noun ?? about.name}`,
      message: `There is no ${about.noun ?? about.name} at this address.`,
      next: { href: here, label: heading },
    });

  const ofOthers = (json: Json) => Object.keys(json).filter((key) => key !== about.idKey);

  const ambiguous = (reply: FastifyReply, { message: text }: TaskRefused): Promise<FastifyReply> =>
    message(reply, 409, {
      title: 'Several have this name',
      message: sentence(text),
      next: { href: here, label: heading },
    });

  const formsOf = (tasks: readonly Task[], prefix: string, filled: Filled, of?: Task): readonly TaskForm[] =>
    tasks.map((task) => ({
      name: task.name,
      summary: task.summary,
      effect: task.effect,
      isFinal: task.isFinal ?? false,
      action: `${prefix}/${task.name}`,
      fields: withValues(bodyOf(task.input), task === of ? filled : nothingTyped),
    }));

  const sendList = async (
    session: Session,
    reply: FastifyReply,
    { query, filled, of, problem }: Sending & { readonly query: Params },
  ) => {
    const hadEnded = one(query, 'problem') === sessionEnded;
    const { after, ...sent } = Object.fromEntries(
      [...query]
        .filter(([name]) => !(name === 'problem' && hadEnded))
        .map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? '')]),
    );
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
    const read = readInput(about.filters, given);
    const page = { after: typeof after === 'string' && after !== '' ? after : null, limit: perPage };
    const found = read.ok
      ? await listNamed(services, about, read.value, page)
      : ({ ok: true, value: { items: [], next: null } } as const);
    const listed: Listed = found.ok ? found.value : { items: [], next: null };
    const trouble = read.ok ? (found.ok ? null : sentence(found.message)) : sentenceOf(read.problems);
    const nextQuery = new URLSearchParams({ ...(given as Record<string, string>), after: listed.next ?? '' });
    const html = entityListPage({
      ...formView(browser, session),
      here,
      above: [],
      heading,
      fields: withValues(about.filters, {
        typed: query,
        problems: read.ok ? [] : read.problems.map(asProblem),
      }),
      columns: Object.values(about.columns),
      rows: listed.items.map((item) => rowOf(about, item, listed.names)),
      next: listed.next === null ? null : `${here}?${nextQuery.toString()}`,
      forms: formsOf(about.making ?? [], here, filled, of),
      problem:
        problem ??
        (hadEnded ? sessionEndedWords : null) ??
        (trouble === null ? null : `This cannot be searched: ${trouble}`),
    });
    return sendPage(reply, problem === null && trouble === null ? 200 : 400, html, 'stays-here');
  };

  const sendItem = async (
    session: Session,
    reply: FastifyReply,
    { id, filled, of, problem, done }: Sending & { readonly id: string; readonly done: string | null },
  ) => {
    const [json, revision] = await Promise.all([about.show(services, id), revisionOf(services, about, id)]);
    if (json === null) return unknown(reply);
    const { name } = json;
    const html = entityPage({
      ...formView(browser, session),
      name: about.name,
      id,
      title: typeof name === 'string' && name !== '' ? name : null,
      list: { href: here, label: heading },
      facts: factsOf(json, await namesIn(services, ofOthers(json), [json])),
      related: relatedTo(about, id),
      forms: formsOf(
        about.tasks.filter((task) => task === of || (task.isUseful?.(json) ?? true)),
        pageOf(about, id),
        filled,
        of,
      ),
      revision: String(revision ?? ''),
      done,
      problem,
      failed: of?.name ?? null,
    });
    return sendPage(reply, problem === null ? 200 : 409, html, 'stays-here');
  };

  const list = guarded((session, request, reply) =>
    sendList(session, reply, { query: queryOf(request), filled: nothingTyped, problem: null }),
  );

  const show = guarded(async (session, request, reply) => {
    const tasks = [...about.tasks, ...(about.making ?? [])];
    const named = (asked: string | undefined) => tasks.find(({ name }) => name === asked)?.summary;
    // Only our own redirect may say that something was done.
    const query: Params = isFromAnotherSite(request) ? new Map() : queryOf(request);
    const summary = named(one(query, 'done'));
    const unchanged = named(one(query, 'unchanged'));
    const done =
      summary !== undefined
        ? `Done: ${lowered(summary)}.`
        : unchanged !== undefined
          ? `${unchanged}: nothing changed, it was so before.`
          : null;
    const id = await namedBy(services, about, idOf(request));
    return id.ok
      ? sendItem(session, reply, { id: id.value, filled: nothingTyped, problem: null, done })
      : ambiguous(reply, id);
  });

  const listOf = (part: Part): Handler =>
    guarded(async (session, request, reply) => {
      const page = { after: one(queryOf(request), 'after') ?? null, limit: perPage };
      const listed = await listPartNamed(services, about, part, idOf(request), page);
      if (!listed.ok) return ambiguous(reply, listed);
      if (listed.value === null) return unknown(reply);
      const { name, items, next, names } = listed.value;
      const id = String(listed.value[about.idKey]);
      const html = entityListPage({
        ...formView(browser, session),
        here: `${pageOf(about, id)}/${part.name}`,
        above: [
          { href: here, label: heading },
          { href: pageOf(about, id), label: typeof name === 'string' && name !== '' ? name : id },
        ],
        heading: labelOf(part.name),
        fields: [],
        columns: Object.values(part.columns),
        rows: items.map((item) => cellsOf(part.columns, item, names)),
        next:
          next === null
            ? null
            : `${pageOf(about, id)}/${part.name}?${new URLSearchParams({ after: next }).toString()}`,
        forms: [],
        problem: null,
      });
      return sendPage(reply, 200, html, 'stays-here');
    });

  const act = (task: Task, hasId: boolean): Handler =>
    guarded(async (session, request, reply) => {
      const asked = hasId
        ? await namedBy(services, about, idOf(request))
        : ({ ok: true, value: '' } as const);
      if (!asked.ok) return ambiguous(reply, asked);
      const id = asked.value;
      const form = formOf(request);
      const back = (problem: string, problems: readonly Problem[] = []) => {
        const sending = { filled: { typed: form, problems }, of: task, problem };
        return hasId
          ? sendItem(session, reply, { ...sending, id, done: null })
          : sendList(session, reply, { ...sending, query: new Map() });
      };
      if (hasId && (await about.show(services, id)) === null) return unknown(reply);
      const read = readInput(bodyOf(task.input), inputOf(task, form), task.rules);
      if (!read.ok)
        return back(`Nothing was done: ${sentenceOf(read.problems)}`, read.problems.map(asProblem));
      if (task.isFinal && one(form, 'sure') === undefined)
        return back('Nothing was done: confirm that it cannot be undone.');
      const { reason, ...input } = read.value as Json & { readonly reason?: string };
      const shownAt = /^\d{1,18}$/.test(one(form, 'revision') ?? '') ? one(form, 'revision') : undefined;
      const done = await perform(
        services,
        about,
        task,
        // What changes something else has its own revision, which the page does not show.
        { id, input, ...(shownAt !== undefined && !task.stream && { shownAt: BigInt(shownAt) }) },
        {
          ...contextOf(request),
          acting: { actor: session.userId, tokenId: null },
          ...(reason !== undefined && { reason }),
        },
      );
      if (!done.ok) {
        const problems = (done.problems ?? []).map(({ field, message: text }) => ({
          field,
          text: `It ${text}.`,
        }));
        return back(sentence(done.message), problems);
      }
      if (Object.keys(done.extra).length === 0)
        return reply.redirect(
          `${base}${pageOf(about, done.id)}?${done.changed ? 'done' : 'unchanged'}=${task.name}`,
          303,
        );
      const html = entityDonePage({
        base,
        signedIn: session.name,
        title: task.summary,
        text: done.text,
        facts: factsOf(done.extra),
        back: done.isThere
          ? { href: pageOf(about, done.id), label: `Back to the ${about.noun ?? about.name}` }
          : { href: here, label: `Back to ${heading}` },
      });
      return sendPage(reply, 200, html, 'stays-here', true);
    });

  return { list, listOf, show, act };
};

type Sending = {
  readonly filled: Filled;
  readonly of?: Task;
  readonly problem: string | null;
};

const withValues = (input: Task['input'], { typed, problems }: Filled): TaskForm['fields'] =>
  fieldsOf(input).map((field) => ({
    ...field,
    // A secret is typed again, and a file chosen again.
    value:
      field.kind === 'secret' || field.kind === 'file'
        ? ''
        : (typed.get(field.name)?.[0] ?? '').slice(0, 10_000),
    problem: problems.find((problem) => problem.field === field.name)?.text ?? null,
  }));

/** Own fields of every form. */
const ofTheForm = new Set(['csrf', 'revision', 'sure']);

/** The fields of a form as the task takes them. An empty field was not filled in; a repeated one is refused. */
const inputOf = (task: Task, form: Params): Json => {
  const kinds = new Map(fieldsOf(bodyOf(task.input)).map(({ name, kind }) => [name, kind]));
  const fields = [...form].flatMap(([name, values]): readonly (readonly [string, unknown])[] => {
    const [value = ''] = values;
    if (values.length > 1) return [[name, values]];
    if (ofTheForm.has(name) || value.trim() === '') return [];
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

const asProblem = ({ field, allowed }: InputProblem): Problem => ({ field, text: `Allowed: ${allowed}` });

const sentenceOf = (problems: readonly InputProblem[]): string =>
  problems.map(({ field, allowed }) => `"${field}": allowed is ${allowed}.`).join(' ');

const sentence = (text: string): string => `${capitalized(text)}.`.replace(/\.\.$/, '.');

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
