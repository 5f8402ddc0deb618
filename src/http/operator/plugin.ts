import type { FastifyPluginCallback, FastifyInstance } from 'fastify';
import { idsIn, shownFields } from '../../tasks/answer-fields.ts';
import { entities } from '../../tasks/entities.ts';
import { grants } from '../../tasks/grants.ts';
import { pagePath } from '../base/routes.ts';
import { apiAndPages } from '../base/scopes.ts';
import { link, nameOf, shortTime } from '../pages/components.ts';
import type { Reader } from '../words/reader.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import { headingOf, withParts } from '../tasks/in-words.ts';
import { markup } from '../pages/html.ts';
import { sendPage } from '../pages/page-answer.ts';
import { only, queryOf } from '../requests/params.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { pageView } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { registerEntityPages } from '../tasks/entity-pages.ts';
import { registerApi } from './operator-api.ts';
import { makeNavigation } from './navigation.ts';
import { isOperator } from '../session/roles.ts';
import type { Browser } from '../base/browser.ts';
import { columnsOf, namesIn, pageOfOperators, titleHtml } from '../tasks/shown.ts';
import { operatorPage } from './views/operator-page.ts';
import { statusPage } from './views/status-page.ts';

/** Lets only operators pass, by their account in the log; all others get one answer. */
const operatorsOnly =
  ({ message }: Browser, act: Act): Act =>
  (session, request, reply) =>
    isOperator(session)
      ? act(session, request, reply)
      : message(reply, 403, ({ operator: t, frame }) => ({
          title: t.forbidden,
          message: t.forbiddenWhy(markName(session.email)),
          next: { href: '/', label: frame.start },
        }));

export const operator = (dependencies: OperatorDependencies): FastifyPluginCallback => {
  const { browser, services } = dependencies;
  const navigation = makeNavigation(browser.base, services);
  return apiAndPages(
    browser,
    (app) => {
      registerApi(app, dependencies, 'in-batches');
    },
    (place) => {
      registerHome(place, dependencies, navigation);
      registerEntityPages(place, {
        browser,
        entities,
        only: (act) => operatorsOnly(browser, act),
        servicesOf: () => services,
        crumbs: () => [],
        navigation: navigation.row,
        listAt: ({ plural }) => `/operator/${plural}`,
        headingOf,
        pageOf: pageOfOperators,
      });
    },
  );
};

const mostFound = 5;
const mostLatest = 10;

/** `/operator`, and `/operator/status` with what operations look at. */
const registerHome = (
  app: FastifyInstance,
  dependencies: OperatorDependencies,
  navigation: ReturnType<typeof makeNavigation>,
): void => {
  const { browser, services, serviceStatus, counts, latestGrants } = dependencies;
  const { base } = browser;
  const guarded = (path: string, act: Act) => makeSignedIn(browser, () => path)(operatorsOnly(browser, act));

  const find = async (reader: Reader, search: string) => {
    const searched = entities.filter(({ filters }) => 'search' in filters.shape);
    const found = await Promise.all(
      searched.map(async (about) => {
        const page = { after: null, limit: mostFound };
        const { items, next } = await about.list(services, { search }, page);
        const showing = {
          base,
          pageOf: pageOfOperators,
          reader,
          names: await namesIn(services.readModels, idsIn(shownFields(about.shape), ...items)),
        };
        const all = `${base}/operator/${about.plural}?${new URLSearchParams({ search }).toString()}`;
        return {
          label: headingOf(reader.words, about),
          columns: columnsOf(showing, about, null, items),
          rows: items,
          more: next === null ? null : all,
        };
      }),
    );
    return found.filter(({ rows }) => rows.length > 0);
  };

  const latest = async (reader: Reader) => {
    const { words } = reader;
    const latest = await latestGrants(mostLatest).catch(() => []);
    const names = await namesIn(services.readModels, idsIn(shownFields(grants.shape), ...latest));
    return latest.map((grant) => {
      const title = link(`${base}/operator/grants/${grant.grant_id}`, titleHtml({ words, names }, grant));
      const who = link(
        `${base}/operator/users/${grant.user_id}`,
        nameOf(names.get(grant.user_id) ?? grant.user_id),
      );
      const text = withParts(words.operator.approvedBy(markName('grant'), markName('user')), {
        grant: title,
        user: who,
      });
      return markup`<span class="soft">${shortTime(reader, grant.issued_at)}</span> ${text}`;
    });
  };

  const home = guarded('/operator', async (session, request, reply) => {
    const { reader } = session;
    const search = (only(queryOf(request), 'search') ?? '').trim().slice(0, 200);
    const [{ row, lines }, status, counted, found, newest] = await Promise.all([
      navigation.home(reader),
      serviceStatus(),
      counts().catch(() => null),
      search === '' ? null : find(reader, search),
      latest(reader),
    ]);
    const page = operatorPage({
      ...pageView(browser, session),
      navigation: row,
      work: lines,
      status,
      lists: entities.map((about) => ({
        href: `${base}/operator/${about.plural}`,
        label: headingOf(reader.words, about),
        count: counted?.[about.plural] ?? null,
      })),
      search,
      found,
      latest: newest,
    });
    return sendPage(reply, 200, page, 'stays-here');
  });

  const status = guarded('/operator/status', async (session, _request, reply) => {
    const page = statusPage({
      ...pageView(browser, session),
      navigation: (await navigation.row(session.reader, 'status')).html,
      crumbs: [],
      here: `${base}/operator/status`,
      status: await serviceStatus(),
    });
    return sendPage(reply, 200, page, 'stays-here');
  });

  const refuse = methodNotAllowedPage(browser);
  pagePath(app, '/operator', { GET: home }, refuse);
  pagePath(app, '/operator/status', { GET: status }, refuse);
};
