import type { FastifyReply, FastifyRequest } from 'fastify';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { Session } from '../../commands/sign-in/read-session.ts';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { BeginOnce } from '../../commands/kernel/begin-once.ts';
import type { EndInteraction, HasEnded } from '../../projections/working-state/done-once.ts';
import { makeReader, type Reader } from '../words/reader.ts';
import type { Words } from '../../common/words.ts';
import { noteWishes, readerOf } from '../requests/reader-of.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import type { Base } from './dependencies.ts';
import { messagePage, type MessageView } from '../pages/message-page.ts';
import { brandView, type BrandView } from '../pages/brand-view.ts';
import { areas, type Area } from '../pages/layout.ts';
import { sendPage } from '../pages/page-answer.ts';
import { noteReason } from '../limits/refusals.ts';
import { makeCookies, type Cookies } from '../session/cookies.ts';
import { makeInteractions, type InteractionRefusal, type Interactions } from '../session/interactions.ts';
import { makeSentOnce, type SentOnce } from '../session/sent-once.ts';
import { makeValueSigner, type ValueSigner } from '../session/value-signer.ts';
import { wayOn } from '../session/way-on.ts';

type Told = Omit<MessageView, 'base' | 'brand' | 'reader'>;

/** In the reader's language; an object is in English, of a page that is not in the catalogue yet. */
export type Message = Told | ((words: Words) => Told);

/** A signed-in user. Without `areas`, pages lead to the account alone. */
export type Visitor = Session & {
  /** In whose language and time zone pages are. */
  readonly reader: Reader;
  readonly areas?: readonly Area[];
  readonly area?: Area;
};

export type Browser = Pick<Base, 'config' | 'logger' | 'now'> & {
  readonly cookies: Cookies;
  readonly signer: ValueSigner;
  readonly interactions: Interactions;
  readonly sentOnce: SentOnce;
  /** Path prefix of every own address, when the public base URL has one. */
  readonly base: string;
  readonly frame: { readonly base: string; readonly brand: BrandView };
  /** `withAreas`: also the parts of the service that the user sees, and the one of the request. */
  readonly session: (request: FastifyRequest, withAreas?: true) => Promise<Visitor | null>;
  /** A page with only a message and the user's name; without a link it leads to where its reader belongs. */
  readonly message: (reply: FastifyReply, status: number, view: Message) => Promise<FastifyReply>;
  /** The page for a form that is not ours, of another browser, expired or used (AZ-40): which, and how to go on. */
  readonly refuseInteraction: (
    reply: FastifyReply,
    refusal: InteractionRefusal,
    status?: number,
    next?: MessageView['next'],
  ) => Promise<FastifyReply>;
};

/** Answers with a page that always says the same. */
export const telling =
  (status: number, view: Message) =>
  (browser: Pick<Browser, 'message'>, reply: FastifyReply): Promise<FastifyReply> =>
    browser.message(reply, status, view);

export type BrowserDependencies = Pick<Base, 'config' | 'logger' | 'now'> & {
  readonly commands: Pick<CommandsInContext, 'readSession' | 'isSessionCookie'>;
  /** Says whether a user administers an organization, as far as known. */
  readonly readModels?: Pick<ReadModels, 'organizationsAdministeredBy' | 'publishersOf'>;
  /** 32 random bytes each, the same on all instances. The first signs interactions; signatures of the others are accepted. */
  readonly interactionKeys: readonly [Uint8Array, ...Uint8Array[]];
  readonly endInteraction: EndInteraction;
  readonly hasEnded: HasEnded;
  readonly beginOnce: BeginOnce;
  /** In milliseconds: how long a form that is sent again waits for the first response. 15 s by default. */
  readonly formPatience?: number;
};

type Belongs = { readonly administers: boolean; readonly publishes: boolean };

const areasOf = ({ roles }: Session, { administers, publishes }: Belongs): readonly Area[] => [
  'account',
  ...(administers ? (['organizations'] as const) : []),
  ...(roles.includes('auditor') ? (['audit'] as const) : []),
  ...(publishes ? (['publisher'] as const) : []),
  ...(roles.includes('operator') ? (['operator'] as const) : []),
  'docs',
];

/** What an error page shows of a user. */
export const shownOf = (who: Visitor | null) =>
  who && { signedIn: who.name, areas: who.areas ?? [], ...(who.area && { area: who.area }) };

/** How long an error page waits for the name of the signed-in user, in milliseconds. */
const patience = 500;

export const makeBrowser = (dependencies: BrowserDependencies): Browser => {
  const { config, logger, now } = dependencies;
  const cookies = makeCookies(config);
  const signer = makeValueSigner(dependencies.interactionKeys);
  const interactions = makeInteractions({
    signer,
    cookies,
    end: dependencies.endInteraction,
    hasEnded: dependencies.hasEnded,
    now,
  });
  const base = new URL(config.baseUrl).pathname.replace(/\/$/, '');
  const session: Browser['session'] = async (request, withAreas) => {
    const read = await dependencies.commands.readSession(cookies.session(request));
    if (!read) return null;
    noteWishes(request, { account: read.language, timeZone: read.timeZone });
    const visitor = { ...read, reader: readerOf({ now }, request) };
    return withAreas ? visitorOf(visitor, request) : visitor;
  };
  const visitorOf = async (who: Visitor, { url }: FastifyRequest): Promise<Visitor> => {
    const { readModels } = dependencies;
    const has = async (read: () => Promise<readonly unknown[]> | undefined) =>
      ((await withTimeoutOrNull(patience, (async () => read())())) ?? []).length > 0;
    const [administers, publishes] = await Promise.all([
      has(() => readModels?.organizationsAdministeredBy(who.userId)),
      has(() => readModels?.publishersOf(who.userId)),
    ]);
    const shown = areasOf(who, { administers, publishes });
    const area = shown.find((one) => `${url}/`.replace(/[?].*/, '/').startsWith(`${areas[one]}/`));
    return { ...who, areas: shown, ...(area && { area }) };
  };
  const frame = { base, brand: brandView(config.brand ?? null) };
  const message: Browser['message'] = async (reply, status, told) => {
    const who = await withTimeoutOrNull(patience, session(reply.request, true));
    const of = typeof told === 'function' ? readerOf({ now }, reply.request) : makeReader();
    const view = typeof told === 'function' ? told(of.words) : told;
    const next = view.next ?? wayOn({ interactions, signer }, reply, who !== null, of.words);
    const leads = next.href.startsWith('/oauth/') ? 'leads-out' : 'stays-here';
    const shown = leads === 'stays-here' ? shownOf(who) : who && { signedIn: who.name };
    const html = messagePage({ ...frame, reader: of, ...shown, ...view, next });
    return sendPage(reply, status, html, leads);
  };
  return {
    config,
    logger,
    now,
    cookies,
    signer,
    interactions,
    sentOnce: makeSentOnce({
      ...dependencies,
      isSessionCookie: dependencies.commands.isSessionCookie,
      cookies,
    }),
    base,
    frame,
    message,
    session,
    refuseInteraction: (reply, refusal, status = 400, next?) => {
      noteReason(reply.request, `interaction-${refusal}`);
      return message(reply, status, ({ errors }) => ({
        title: errors.startAgain,
        message: errors.interaction[refusal],
        ...(refusal === 'malformed' && { detail: 'interaction or csrf is missing, repeated or was changed' }),
        ...(next && { next }),
      }));
    },
  };
};
