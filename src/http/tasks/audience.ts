import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Words } from '../../common/words.ts';
import type { NameOf } from '../../domain/event-subjects.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import { shownFields } from '../../tasks/answer-fields.ts';
import { bodyOf } from '../../tasks/fields.ts';
import { idOf as namedBy } from '../../tasks/find.ts';
import { personsOf, type Person } from '../../tasks/people/to-whom.ts';
import { takesReason } from '../../tasks/places.ts';
import { tasksOfList, type Items } from '../../tasks/sections.ts';
import type { Entity, Services, Task, TaskRefused } from '../../tasks/task.ts';
import type { Browser, Visitor } from '../base/browser.ts';
import type { Handler } from '../base/routes.ts';
import { nameOf } from '../pages/components.ts';
import { markup, type Html, type Part as PagePart } from '../pages/html.ts';
import type { Crumb } from '../pages/layout.ts';
import type { FormView } from '../pages/render.ts';
import { isFromAnotherSite } from '../requests/from-another-site.ts';
import { one, pathId, queryOf, type Params } from '../requests/params.ts';
import { formView } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { Reader } from '../words/reader.ts';
import { nounOf, refusalIn, summaryOf, uncapitalized, withParts } from './in-words.ts';
import { namesIn, type PageOf } from './shown.ts';

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
  /** The second row of navigation, and how much waits in the list of these. */
  readonly navigation?: (
    reader: Reader,
    about: Entity,
  ) => Promise<{ readonly html: Html; readonly waiting: number | null }>;
  /** What a list says that has nothing yet. */
  readonly none?: (reader: Reader) => Html;
};

type ActOn = (
  id: string,
  session: Visitor,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

/** What all pages about one kind of things have. */
export const makePlace = (audience: PageAudience, about: Entity) => {
  const { browser, only: admitted, servicesOf, headingOf, pageOf: pageOrNull } = audience;
  const { base, message } = browser;
  const here = audience.listAt(about);
  const pageOf = (id: string) => pageOrNull(about, id) ?? here;
  const guarded = (act: Act): Handler =>
    makeSignedIn(browser, (request) => (request.method === 'GET' ? request.url : here))(admitted(act));
  const next = (words: Words) => ({ href: here, label: headingOf(words, about) });

  const unknown = (reply: FastifyReply): Promise<FastifyReply> =>
    message(reply, 404, (words) => ({
      title: words.operator.unknown(nounOf(words, about)),
      message: words.operator.unknownWhy(nounOf(words, about)),
      next: next(words),
    }));

  const ambiguous = (reply: FastifyReply, refused: TaskRefused): Promise<FastifyReply> =>
    message(reply, 409, (words) => ({
      title: words.operator.ambiguous,
      message: refusalIn(words, refused),
      next: next(words),
    }));

  return {
    audience,
    about,
    browser,
    base,
    /** The list, and the page of one, below `base`. */
    here,
    pageOf,
    fields: shownFields(about.shape),
    itemFields: (part: Items | undefined | null) => shownFields(part?.item),
    servicesOf,
    guarded,
    unknown,
    crumbsOf: (reader: Reader) => [...audience.crumbs(reader), next(reader.words)],
    showingOf: async ({ reader }: Visitor, services: Services, ids: readonly NameOf[]) => ({
      base,
      pageOf: pageOrNull,
      reader,
      words: reader.words,
      names: await namesIn(services.readModels, ids),
    }),
    viewOf: async (session: Visitor): Promise<FormView & { readonly waiting: number | null }> => {
      const { html = null, waiting = null } = (await audience.navigation?.(session.reader, about)) ?? {};
      return { ...formView(browser, session), navigation: html, waiting };
    },
    /** What a form sends. */
    bodyIn: (task: Task) => (takesReason(about, task) ? bodyOf(task.input) : task.input),
    /** Where what a task is about is shown: a list of the thing has a page, or is on that of the thing. */
    placeOf: (task: Task, id: string): string => {
      const part = about.parts?.find(
        ({ name }) => name === task.of?.part || tasksOfList(about, name).includes(task),
      );
      return part === undefined ? pageOf(id) : `${pageOf(id)}/${part.name}`;
    },
    /** An address may have a name in place of an id. */
    withId: (hasId: boolean, act: ActOn): Handler =>
      guarded(async (session, request, reply) => {
        if (!hasId) return act('', session, request, reply);
        const id = await namedBy(servicesOf(session), about, pathId(request, about.idKey));
        return id.ok ? act(id.value, session, request, reply) : ambiguous(reply, id);
      }),
    /** Only our own redirect may say that something was done. */
    doneIn: async (
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
    },
  };
};

export type Place = ReturnType<typeof makePlace>;

/** Who is to get something, as it was sent; nobody where the task gives nothing: whoever asks would be shown any person. */
export const whomIn = (given: Params, task: Task | undefined): readonly string[] =>
  task?.toWhom === undefined ? [] : [one(given, 'to') ?? []].flat();

/** Who gets it: with the address, and whether anybody vouches for it. */
export const saidOf = (
  words: Words,
  { user_id: id, name, email, email_verified: isVerified }: Person,
): Html =>
  withParts(words.operator.givenTo(markName('who'), email === null ? null : isVerified), {
    who: markup`<strong>${nameOf(name)}${email !== null && markup`, ${nameOf(email)}`}</strong> <code class="id">${id}</code>`,
  });
