import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { idsIn, shownFields } from '../../tasks/answer-fields.ts';
import { fieldsOf, readInput } from '../../tasks/fields.ts';
import { newestIn } from '../../tasks/newest-in.ts';
import { perform } from '../../tasks/perform.ts';
import { personsOf } from '../../tasks/people/to-whom.ts';
import { itemsOf } from '../../tasks/sections.ts';
import { answeredBy, toItself, type Json, type Services, type Task } from '../../tasks/task.ts';
import type { Visitor } from '../base/browser.ts';
import type { Handler } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, one, only, queryOf, type Params } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { saidOf, whomIn, type Place } from './audience.ts';
import { choicesOf } from './choices.ts';
import { idsOfNames } from './filters.ts';
import {
  allAllowedIn,
  allowedIn,
  buttonOf,
  doneIn as doneWords,
  effectOf,
  labelOf,
  nounOf,
  problemIn,
  refusalIn,
  summaryOf,
} from './in-words.ts';
import { answerFacts, itemFacts, titleHtml, titleOf } from './shown.ts';
import {
  fieldsAbout,
  formFields,
  isEnding,
  namingItem,
  nothingTyped,
  whatEnds,
  type Filled,
} from './task-forms.ts';
import { entityDonePage, taskPage } from './views/task-page.ts';

/** Of a list, to find an item. */
const mostItems = 1_000;

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

/** One form on a page of its own, and what happens when it is sent. */
export const makeTaskPages = (place: Place) => {
  const { about, audience, base, here, pageOf, fields, servicesOf, bodyIn, placeOf, withId } = place;

  /** The item that a form is about, by what names it in the address or in the form; null: there is none. */
  const itemOf = async (services: Services, { of }: Task, id: string, given: Params) => {
    const part = itemsOf(about, of?.part);
    const wanted = Object.entries(of?.fields ?? {});
    if (!part || !wanted.some(([field]) => only(given, field) !== undefined)) return null;
    const { items } = await part.list(services, id, { after: null, limit: mostItems });
    const isNamed = (item: Json) =>
      wanted.every(([field, key]) => (item[key] ?? '') === (only(given, field) ?? ''));
    const item = items.find(isNamed);
    return item ? { item, isPossible: of?.isPossible?.(item, items) ?? true } : null;
  };

  const sendTask = async (session: Visitor, reply: FastifyReply, asking: Asking) => {
    const { task, id, given, about: key, filled, problem, whom } = asking;
    const { reader } = session;
    const { words } = reader;
    const isThere = id !== '';
    const services = servicesOf(session);
    const found = await itemOf(services, task, id, given);
    const item = found?.item ?? null;
    const isDone = found?.isPossible === false;
    // Before what is shown, so that the form is never of a newer version than it shows.
    const revision = isThere ? await newestIn(services, about.stream(id)) : null;
    const [view, json, ends, [person = null]] = await Promise.all([
      place.viewOf(session),
      isThere ? about.show(services, id) : {},
      isThere ? whatEnds(words, services, about, task, id).catch(() => []) : [],
      personsOf(services, whom === undefined ? [] : [whom]),
    ]);
    if (json === null) return place.unknown(reply);
    const asked = fieldsAbout(task, bodyIn(task), key, filled);
    const choices = await choicesOf(services, asked, { task, id, json });
    if (task.of && (item === null || isDone) && problem === null)
      return reply.redirect(base + placeOf(task, id), 303);
    const showing = await place.showingOf(session, services, [
      ...idsIn(fields, json),
      ...(item ? idsIn(place.itemFields(itemsOf(about, task.of?.part)), item) : []),
    ]);
    const path = isThere ? pageOf(id) : here;
    const crumbs = place.crumbsOf(reader);
    const html = taskPage({
      ...view,
      crumbs: isThere ? [...crumbs, { href: path, label: titleHtml(showing, json) }] : crumbs,
      summary: key === undefined ? summaryOf(words, about, task) : labelOf(words, key),
      submit: key === undefined ? buttonOf(words, about, task) : words.operator.save,
      title: isThere ? (titleOf(showing, json) ?? id) : null,
      heading: isThere ? titleHtml(showing, json) : null,
      effect: effectOf(words, about, task, services),
      ends,
      isEnd: isEnding(task),
      isFinal: task.isFinal ?? false,
      action: `${base}${path}/${task.name}`,
      field: key ?? null,
      cancel: base + (isThere ? placeOf(task, id) : here),
      fields: formFields(words, about, task, asked, json, filled, choices),
      item: item && { named: namingItem(task, item), facts: itemFacts(showing, about, task, item) },
      back: !task.of || (item !== null && !isDone) ? null : words.operator.backTo(nounOf(words, about)),
      revision: task.shows ? String(item?.['revision']) : String(revision ?? ''),
      problem,
      to: person && { id: person.user_id, said: saidOf(words, person) },
    });
    return sendPage(reply, problem === null ? 200 : 409, html, 'stays-here');
  };

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
      const asking = { task, id, given: form, ...keyIn(request) };
      const back = (problem: string, filled: Partial<Filled> = {}) =>
        sendTask(session, reply, {
          ...asking,
          filled: { ...nothingTyped, typed: form, ...filled },
          problem,
          whom: whomIn(form, task)[0],
        });
      const before = hasId ? await about.show(services, id) : {};
      if (before === null) return place.unknown(reply);
      const sent = inputOf(task, bodyIn(task), form, before);
      const { ids, problems, options } = await idsOfNames(words, services, task.input, sent);
      if (problems.length > 0)
        return back(words.operator.notDone(problems.map(({ text }) => text).join(' ')), {
          problems,
          options,
        });
      const read = readInput(bodyIn(task), { ...sent, ...ids }, task.rules);
      if (!read.ok)
        return back(words.operator.notDone(allAllowedIn(words, read.problems)), {
          problems: read.problems.map((each) => allowedIn(words, each)),
        });
      if (task.isFinal && one(form, 'sure') === undefined)
        return back(words.operator.notDone(words.operator.confirm));
      const { reason, ...input } = read.value as Json & { readonly reason?: string };
      const [whom] = [(await task.toWhom?.(id, input, services)) ?? []].flat();
      if (whom !== undefined && one(form, 'to') !== whom)
        return sendTask(session, reply, {
          ...asking,
          filled: { ...nothingTyped, typed: form },
          problem: null,
          whom,
        });
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
        const { retryAt, refusal } = done;
        const why =
          retryAt === undefined ? null : words.publisher.tooOften(session.reader.zonedMomentOf(retryAt));
        return back(why ?? refusalIn(words, done), {
          problems: (done.problems ?? []).map((each) => problemIn(words, each)),
          refusal,
        });
      }
      const [once, extra] = shownOnce(done.extra);
      const isToKeep = once !== null || (isEnding(task) && task.of === undefined);
      if (!isToKeep || Object.keys(done.extra).length === 0) {
        const to = whom === undefined ? '' : `&to=${whom}`;
        const said = done.changed || Object.keys(done.extra).length > 0 ? 'done' : 'unchanged';
        return reply.redirect(`${base}${placeOf(task, done.id)}?${said}=${task.name}${to}`, 303);
      }
      const answered = shownFields(about.shape, ...answeredBy(task));
      const showing = await place.showingOf(session, services, idsIn(answered, extra));
      const html = entityDonePage({
        ...(await place.viewOf(session)),
        title: summaryOf(words, about, task),
        text: linesWithout(once, doneWords(words, about, task, done)),
        once,
        facts: task.shows ? itemFacts(showing, about, task, extra) : answerFacts(showing, answered, extra),
        back: done.isThere
          ? { href: base + placeOf(task, done.id), label: words.operator.backTo(nounOf(words, about)) }
          : { href: base + here, label: words.operator.backToAll(audience.headingOf(words, about)) },
      });
      return sendPage(reply, 200, html, 'stays-here', true);
    });

  return { ask, act };
};

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
