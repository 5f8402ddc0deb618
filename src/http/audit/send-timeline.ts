import type { FastifyReply, FastifyRequest } from 'fastify';
import { presentPage } from '../../audit/timeline/present-timeline.ts';
import { sendJson } from '../answers/send-json.ts';
import type { TimelineAnswer } from '../contracts/audit.ts';
import type { Link } from '../contracts/list-page.ts';
import type { AuditDependencies } from './dependencies.ts';
import { askTimeline, filtersOf, type Asked, type TimelineSources } from './record-question.ts';

/** Answers with a page of the organization's events, to whoever may read them; the query is recorded first. */
export const sendTimeline = async (
  dependencies: TimelineSources & Pick<AuditDependencies, 'browser'>,
  asked: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const page = presentPage(await askTimeline(dependencies, request, asked));
  const links = linksOf(dependencies.browser.config.baseUrl, request, asked, page);
  return sendJson<TimelineAnswer>(reply, { ...page, _links: links }, linkHeader(links));
};

type Ends = { readonly earlier: string | null; readonly later: string | null };

export const linksOf = (
  baseUrl: string,
  request: FastifyRequest,
  asked: Asked,
  { earlier, later }: Ends,
): Link[] => {
  const address = baseUrl + (request.url.split('?')[0] ?? '');
  const link = (rel: Link['rel'], place: Record<string, string>): Link => ({
    rel,
    type: 'GET',
    href: `${address}?${new URLSearchParams({ ...filtersOf(asked), ...place }).toString()}`,
  });
  return [
    ...(earlier === null ? [] : [link('prev', { before: earlier })]),
    ...(later === null ? [] : [link('next', { after: later })]),
  ];
};

export const linkHeader = (links: readonly Link[]) =>
  links.length === 0 ? {} : { link: links.map(({ rel, href }) => `<${href}>; rel="${rel}"`).join(', ') };
