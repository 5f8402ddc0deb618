import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Visitor } from '../base/browser.ts';
import { pagePath } from '../base/routes.ts';
import { markup } from '../pages/html.ts';
import { areas, type Area } from '../pages/layout.ts';
import { sendPage } from '../pages/page-answer.ts';
import { page, type FormView } from '../pages/render.ts';
import { formOf, isRepeated, one, queryOf } from '../requests/params.ts';
import type { SessionDependencies } from './dependencies.ts';
import { methodNotAllowedPage } from './refused-method.ts';
import { makeSignedIn } from './signed-in.ts';
import { formView, refuseField } from './sign-out.ts';

const homes = ['organizations', 'audit', 'publisher', 'operator'] as const satisfies readonly Area[];
type Home = (typeof homes)[number];

export const homesOf = ({ areas: shown = [] }: Visitor): readonly Home[] =>
  homes.filter((home) => shown.includes(home));

type HomeView = FormView & { readonly homes: readonly Home[]; readonly chosen: Home | undefined };

const homePage = page<HomeView>(
  ({ reader: { words } }) => words.home.title,
  ({ base, csrf, homes: offered, chosen, reader: { words } }) =>
    markup`<div class="card">
<h1>${words.home.question}</h1>
<p class="soft">${words.home.remembered}</p>
<form method="post" action="${base}/">
<input type="hidden" name="csrf" value="${csrf}">
<ul class="rows">
${offered.map(
  (home) =>
    markup`<li class="row">
<div>
<strong>${words.frame.areas[home]}</strong>
<div class="soft small">${words.home.does[home]}</div>
</div>
<button type="submit" name="home" value="${home}"${home !== chosen && markup` class="plain"`} aria-label="${words.home.startWith(words.frame.areas[home])}">${words.home.start}</button>
</li>
`,
)}
</ul>
</form>
</div> `,
);

/** `/`: leads to where the user's role works; with several roles it asks, and remembers the answer (PG-02). */
export const registerHome = (app: FastifyInstance, { browser }: SessionDependencies): void => {
  const { base, cookies } = browser;
  const signedIn = makeSignedIn(browser, () => '/');

  const show = signedIn(async (visitor, request, reply) => {
    const mine = homesOf(visitor);
    const chosen = mine.find((home) => home === cookies.home(request));
    const [only = null] = mine;
    if (!queryOf(request).has('choose') || mine.length < 2) {
      if (mine.length < 2) return redirect(reply, only);
      if (chosen !== undefined) return redirect(reply, chosen);
    }
    const view = { ...formView(browser, visitor), homes: mine, chosen };
    return sendPage(reply, 200, homePage(view), 'stays-here');
  });

  const choose = signedIn(async (visitor, request, reply) => {
    if (isRepeated(formOf(request), 'home')) return refuseField(browser, reply, 'home');
    const home = homesOf(visitor).find((each) => each === one(formOf(request), 'home')) ?? null;
    if (home !== null) cookies.setHome(reply, home);
    return redirect(reply, home);
  });

  const redirect = (reply: FastifyReply, home: Home | null): FastifyReply =>
    reply.redirect(base + areas[home ?? 'account'], 303);

  pagePath(app, '/', { GET: show, POST: choose }, methodNotAllowedPage(browser));
};
