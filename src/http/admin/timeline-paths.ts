import { timelineAnswer, timelineWords } from '../audit/audit-paths.ts';
import { timelineQuery } from '../contracts/audit.ts';
import { administratorProblems, administratorRefusals } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { organizationId } from '../openapi/examples.ts';

const timeline: Operation = {
  tag: 'Add-ons of an organization',
  security: ['administrator-token', 'session'],
  id: 'read-own-timeline',
  summary: 'Read what happened in your organization',
  description: `The timeline that the organization’s auditors read. ${timelineWords}`,
  query: timelineQuery,
  answers: [
    timelineAnswer(`/organizations/${organizationId}/timeline`),
    ...administratorProblems([...administratorRefusals, 'other-origin', 'not-an-administrator']),
  ],
};

/** For administrators, who read it without being auditors (AP-11). */
export const timelinePaths = {
  '/organizations/{organization_id}/timeline': { GET: timeline },
} satisfies Paths;
