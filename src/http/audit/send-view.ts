import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadModels } from '../../projections/read-models.ts';
import { organizationOf } from '../admin/organization-of.ts';
import type { TimeProblem } from '../../audit/timeline/time-in-log.ts';
import type { Browser, Visitor } from '../base/browser.ts';
import { sendPage } from '../pages/page-answer.ts';
import { queryOf, type Params } from '../requests/params.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { pageView } from '../session/sign-out.ts';
import type { AuditDependencies } from './dependencies.ts';
import { readQuestion, timesNotThere } from './question.ts';
import { mediaTypes } from './timeline-files.ts';
import type { View } from './view.ts';
import { looksLikeAddress } from '../../domain/kernel/name.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import { edgeOf, filterFields } from './views/history-filters.ts';
import { withPeople, type PeopleSources } from './with-people.ts';

type Dependencies = PeopleSources &
  Pick<AuditDependencies, 'browser' | 'timeProblem'> & {
    readonly readModels: Pick<ReadModels, 'addonsOf' | 'organization'>;
  };

type Texts = Visitor['reader']['words']['auditLog'];

/** Who may read the organization's events, as its auditor or, in the other case, as its administrator. */
type Reader = {
  readonly session: Visitor;
  readonly organizationId: string;
  readonly forAdministrators: boolean;
};

/** The answer to the query of the address, or the form with what is wrong in it. The caller has checked the authority. */
export const sendView = async (
  dependencies: Dependencies,
  view: View,
  { session, organizationId, forAdministrators }: Reader,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { browser, readModels } = dependencies;
  const { reader } = session;
  const t = reader.words.auditLog;
  const sent = queryOf(request);
  const { query, choice, nobody } = await withPeople(
    dependencies,
    organizationId,
    inZone(reader, browser.now(), sent),
    view.names,
  );
  const read = readQuestion(query, view.names, {
    ofForm: true,
    besides: forAdministrators ? [] : ['organization'],
    allowed: t.allowed,
  });
  const allowedBy = ({ since }: TimeProblem) => (since === null ? t.notInFuture : t.fromCopyOn(since));
  const problems = read.ok
    ? await timesNotThere(read.question, view.timeProblem ?? dependencies.timeProblem, allowedBy)
    : read.errors.map((error) => {
        const text = nobody.get(error.parameter);
        return text === undefined ? error : { ...error, why: whyNobody(t, text) };
      });
  const [organization, addons] = await Promise.all([
    organizationOf(dependencies, organizationId),
    readModels.addonsOf(organizationId),
  ]);
  const frame = {
    ...pageView(browser, session),
    organization,
    addons,
    forAdministrators,
    fields: filterFields(reader, view.names, sent, addons, problems),
    problems,
    choice,
    now: browser.now(),
  };
  if (!read.ok || problems.length > 0 || choice !== null)
    return sendPage(reply, 400, view.refused(frame), 'stays-here');
  const html = await view.shown(frame, { by: session, organizationId, ...read }, request);
  return view.file
    ? reply
        .headers({
          'content-type': mediaTypes[view.file],
          'content-disposition': 'attachment',
        })
        .send(html)
    : sendPage(reply, 200, html, 'stays-here');
};

/** A date of a filter is a day of the reader's zone: its first moment, its last, or now (FX-96). */
const inZone = ({ startOf, dateOf }: Visitor['reader'], now: Instant, query: Params): Params => {
  const instantOf = (name: string, date: string): string => {
    const start = /^\d{4}-\d{2}-\d{2}$/.test(date) ? startOf(date) : NaN;
    if (Number.isNaN(start) || dateOf(start) !== date) return date;
    const edge = edgeOf({ startOf }, name, date);
    return new Date(start <= now ? Math.min(edge, now) : edge).toISOString();
  };
  return new Map(
    [...query].map(([name, values]) => [
      name,
      name === 'from' || name === 'to' ? values.map((value) => instantOf(name, value)) : values,
    ]),
  );
};

const whyNobody = ({ nobodyAt, nobodyCalled }: Texts, text: string): string =>
  (looksLikeAddress(text) ? nobodyAt : nobodyCalled)(markName(text));

/** Every search is recorded, so a link from another site must not trigger one: the reader has to confirm (CL-11). */
export const askFirst = (
  { message }: Pick<Browser, 'message'>,
  reply: FastifyReply,
  href: string,
): Promise<FastifyReply> =>
  message(reply, 200, ({ auditLog }) => ({
    title: auditLog.openTitle,
    message: auditLog.otherSite,
    next: { href, label: auditLog.open },
  }));
