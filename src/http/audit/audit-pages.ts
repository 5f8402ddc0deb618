import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { positionText } from '../../audit/timeline/position-text.ts';
import type { GrantBar } from '../../audit/timeline/timeline.ts';
import type { Session } from '../../commands/sign-in/read-session.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import type { Browser, Visitor } from '../base/browser.ts';
import { pagePath, type Handler } from '../base/routes.ts';
import { grantsQuery, timelineQuery } from '../contracts/audit.ts';
import { namesOf } from '../contracts/parameters.ts';
import type { ParameterError } from '../contracts/problem.ts';
import { sendPage } from '../pages/page-answer.ts';
import { isFromAnotherSite } from '../requests/from-another-site.ts';
import { isRepeated, one, queryOf } from '../requests/params.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { isOwnPath } from '../session/sign-in.ts';
import { pageView } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { Reader } from '../words/reader.ts';
import { addressOf, askGrants, askOrganizations, type Asked } from './record-question.ts';
import { axisOf, placed, spanOf } from './bar-geometry.ts';
import type { AuditDependencies } from './dependencies.ts';
import { isAuditor } from '../session/roles.ts';
import { exposureView, logView, questionsView, unusedView } from './question-views.ts';
import { readQuestion } from './question.ts';
import { askFirst, sendView } from './send-view.ts';
import type { View } from './view.ts';
import { fileKinds, mediaTypes } from './timeline-files.ts';
import { timelineFile, timelineView } from './timeline-view.ts';
import { grantsPage, type DrawnGrant } from './views/grants-page.ts';
import { auditHomePage } from './views/question-pages.ts';
import { contextOf } from '../requests/trace.ts';

/** `/audit`: an auditor's organizations, the events of one, and its grants over time. Nothing can be changed here. */
export const registerAuditPages = (app: FastifyInstance, dependencies: AuditDependencies): void => {
  const { audits, browser, commands, readModels, reads: listReads } = dependencies;
  const signedIn = makeSignedIn(browser, backTo);

  const organizations = async (session: Visitor, request: FastifyRequest, reply: FastifyReply) => {
    const read = readQuestion(queryOf(request), namesOf(timelineQuery), {
      ofForm: true,
      besides: ['organization'],
      allowed: session.reader.words.auditLog.allowed,
    });
    if (!read.ok) return unreadable(browser, reply, read.errors);
    const mine = await askOrganizations(dependencies, request, session);
    const [first] = mine;
    const html = auditHomePage({
      ...pageView(browser, session),
      organizations: mine,
      addons: first ? await readModels.addonsOf(first.organizationId) : [],
      now: browser.now(),
    });
    return sendPage(reply, 200, html, 'stays-here');
  };

  type OfOrganization = (...args: readonly [string, ...Parameters<Act>]) => ReturnType<Act>;
  const forAuditors = (act: OfOrganization): Handler =>
    signedIn(async (session, request, reply) => {
      if (!isAuditor(session)) return notForYou(browser, reply, session);
      if (isFromAnotherSite(request)) return askFirst(browser, reply, backTo(request));
      const query = queryOf(request);
      if (isRepeated(query, 'organization')) return unreadable(browser, reply, [twice(session)]);
      const organizationId = one(query, 'organization');
      if (organizationId === undefined) return organizations(session, request, reply);
      if (!isUlid(organizationId) || !(await commands.isAuditor(organizationId, session.userId)))
        return notForYou(browser, reply, session);
      return act(organizationId, session, request, reply);
    });

  const show = (view: View): Handler =>
    forAuditors((organizationId, session, request, reply) =>
      sendView(dependencies, view, { session, organizationId, forAdministrators: false }, request, reply),
    );

  /** With a proof (docs/reference/audit-export.md). */
  const exported = forAuditors(async (organizationId, session, request, reply) => {
    const read = readQuestion(queryOf(request), [], { besides: ['organization'] });
    if (!read.ok) return unreadable(browser, reply, read.errors);
    const holder = { ...session, tokenId: null, expiresAt: null };
    const asking = { holder, context: contextOf(request), signal: request.signal };
    const lines = await audits.export({ organization: organizationId }, asking);
    return 'ok' in lines
      ? browser.message(reply, 409, ({ auditLog, frame }) => ({
          title: auditLog.notExported,
          message: lines.message,
          next: { href: '/audit', label: frame.audit },
        }))
      : reply
          .headers({ 'content-type': mediaTypes.ndjson, 'content-disposition': 'attachment' })
          .send(Readable.from(lines, { objectMode: false }));
  });

  const timeline = timelineView(dependencies, (asked, place, file) =>
    addressOf(file ? `/audit/timeline.${file}` : '/audit', asked, place),
  );

  const grants: View = {
    names: namesOf(grantsQuery),
    refused: (frame) => grantsPage({ ...frame, grants: [], ticks: [], present: null, earlier: null }),
    shown: async (frame, asked, request) => {
      const { bars, earlier } = await askGrants(dependencies, request, asked);
      const reads = await listReads.lastReads(bars.map(({ grantId }) => grantId));
      return grantsPage({
        ...frame,
        ...drawn(bars, asked, { now: browser.now(), reads, reader: frame.reader }),
        earlier: earlier && addressOf('/audit/grants', asked, { before: positionText(earlier) }),
      });
    },
  };

  const refuse = methodNotAllowedPage(browser);
  pagePath(app, '/audit', { GET: show(timeline) }, refuse);
  for (const file of fileKinds)
    pagePath(app, `/audit/timeline.${file}`, { GET: show(timelineFile(dependencies, file)) }, refuse);
  pagePath(app, '/audit/export.ndjson', { GET: exported }, refuse);
  pagePath(app, '/audit/grants', { GET: show(grants) }, refuse);
  pagePath(app, '/audit/questions', { GET: show(questionsView) }, refuse);
  pagePath(app, '/audit/exposure', { GET: show(exposureView(dependencies)) }, refuse);
  pagePath(app, '/audit/unused', { GET: show(unusedView(dependencies)) }, refuse);
  pagePath(app, '/audit/log', { GET: show(logView(dependencies)) }, refuse);
};

type Known = {
  readonly now: number;
  readonly reads: ReadonlyMap<string, number>;
  readonly reader: Reader;
};

const drawn = (
  bars: readonly GrantBar[],
  { question: { from, to } }: Asked,
  { now, reads, reader }: Known,
) => {
  const span = spanOf(bars, { ...(from !== undefined && { from }), ...(to !== undefined && { to }), now });
  return {
    grants: bars.map((bar): DrawnGrant => ({
      ...bar,
      kind: bar.endedAt === null ? 'open' : (bar.reason ?? 'open'),
      lastReadAt: timeOrNull(reads.get(bar.grantId)),
      ...placed(bar, span, now),
    })),
    ...axisOf(span, now, reader),
  };
};

const timeOrNull = (instant: number | undefined): string | null =>
  instant === undefined ? null : new Date(instant).toISOString();

const twice = ({ reader }: Visitor): ParameterError => ({
  parameter: 'organization',
  code: 'repeated',
  allowed: reader.words.auditLog.oneOrganization,
});

/** After signing in: the requested page. */
const backTo = (request: FastifyRequest): string =>
  request.url.length <= 2000 && isOwnPath(request.url) ? request.url : '/audit';

/** One answer for an organization of others, for one that does not exist, and for a user who is no auditor. */
const notForYou = ({ message }: Browser, reply: FastifyReply, { email }: Session): Promise<FastifyReply> =>
  message(reply, 403, ({ auditLog, frame }) => ({
    title: auditLog.notForYou,
    message: auditLog.notForYouWhy(markName(email)),
    next: { href: '/', label: frame.start },
  }));

const unreadable = (
  { message }: Browser,
  reply: FastifyReply,
  [first]: readonly ParameterError[],
): Promise<FastifyReply> =>
  message(reply, 400, ({ auditLog }) => ({
    title: auditLog.badLink,
    message: auditLog.badLinkWhy,
    ...(first && { detail: auditLog.allowedFor(first.parameter, first.allowed) }),
    next: { href: '/audit', label: auditLog.title },
  }));
