import { recordResources } from '../../domain/records/record-resources.ts';
import { grantsQuery, timelineQuery } from '../contracts/audit.ts';
import { administratorProblems, administratorRefusals, json } from '../openapi/answers.ts';
import type { Answer, Operation, Paths } from '../openapi/describe.ts';
import { clientId, organizationId, userId } from '../openapi/examples.ts';
import { always, maybeLike, type HeaderUses } from '../openapi/headers.ts';

const noStore: HeaderUses = { 'Cache-Control': always('no-store') };
const links = (address: string, rel: string, place: string): HeaderUses => ({
  ...noStore,
  Link: maybeLike(`<https://auth.example${address}?${place}>; rel="${rel}"`),
});

const guards = [...administratorRefusals, 'other-origin', 'not-an-auditor'] as const;
const common = {
  tag: 'Audit logs',
  security: ['administrator-token', 'session'],
} as const satisfies Partial<Operation>;

const about = { kind: 'organization', id: organizationId, name: 'Harbour Club' };
const addon = { kind: 'addon', id: clientId, name: 'Door Opener' };
const ada = { kind: 'user', id: userId, name: 'Ada Ahoi' };
const grantId = '01JD3FB4N5P7Q9R1S3T5V7W9X1';

const organizations: Operation = {
  ...common,
  id: 'list-audited-organizations',
  summary: 'List the organizations whose audit log you may read',
  description:
    'Those that the operator assigned to the auditor, by name. The search is recorded in the audit log.',
  answers: [
    json(
      200,
      'The organizations.',
      'AuditedOrganizations',
      noStore,
      {
        one: { items: [{ organization_id: organizationId, name: 'Harbour Club' }] },
      },
      {
        timeline: {
          operation: 'read-timeline',
          description: 'The events of the first organization.',
          parameters: { organization_id: '$response.body#/items/0/organization_id' },
        },
        grants: {
          operation: 'read-grants',
          description: 'The grants of the first.',
          parameters: { organization_id: '$response.body#/items/0/organization_id' },
        },
      },
    ),
    ...administratorProblems(guards),
  ],
};

/** What a timeline has, for whoever may read it. */
export const timelineWords = `Every event that concerns the organization, in the order of the log, in plain words; its records (${recordResources.map(({ words }) => words.many).join(', ')}) are only available on the command line. Searches of the log itself are left out unless \`type=AuditQueried\` asks for them. Events must match all filters. Follow \`next\` as it is until there is none. An \`AuditQueried\` is stored before the answer: without it there is none. Another page of an answer, and the same question within 15 minutes, are recorded by the first.`;

/** @param address of the example */
export const timelineAnswer = (address: string): Answer =>
  json(200, 'What happened.', 'Timeline', links(address, 'next', 'limit=1&after=8231%2F8231'), {
    'one event': {
      about,
      entries: [
        {
          position: '8231/8231',
          time: '2026-04-20T07:15:00.000Z',
          type: 'AddonActivated',
          what: `Door Opener (${clientId}) was activated for Harbour Club (${organizationId}) (epoch 1).`,
          why: null,
          actor: ada,
          token_id: null,
          concerns: [about, addon, ada],
          told: [
            {
              addon,
              event: 'https://auth.example/signals/addon-activated',
              jti: 'e5ebL7xej4cQxLct6ky9oQ',
              state: 'acknowledged',
              acknowledged_at: '2026-04-20T07:15:00.412Z',
            },
          ],
          stream: `activation-${organizationId}.${clientId}`,
          revision: 0,
          event_id: '0b3d0f6e-3a57-4a52-9c2b-0f4d5b1c7a10',
        },
      ],
      earlier: null,
      later: '8231/8231',
      up_to: '9120/9120',
      dropped: [],
      _links: [
        {
          rel: 'next',
          type: 'GET',
          href: `https://auth.example${address}?limit=1&after=8231%2F8231`,
        },
      ],
    },
  });

const timeline: Operation = {
  ...common,
  id: 'read-timeline',
  summary: 'Read the audit log of an organization',
  description: timelineWords,
  query: timelineQuery,
  answers: [
    timelineAnswer(`/audit/organizations/${organizationId}/timeline`),
    ...administratorProblems(guards),
  ],
};

const grants: Operation = {
  ...common,
  id: 'read-grants',
  summary: 'Read which grants were open, and when',
  description:
    'The newest grants of the organization that existed in a period, each from issue to end, with the reason of the end. Follow `prev` as it is for older ones, until there is none. The search is recorded in the audit log.',
  query: grantsQuery,
  answers: [
    json(
      200,
      'The grants.',
      'Grants',
      links(`/audit/organizations/${organizationId}/grants`, 'prev', 'before=8240%2F8240'),
      {
        'one that has ended': {
          grants: [
            {
              grant_id: grantId,
              subject: about,
              approved_by: ada,
              addon,
              scopes: ['profiles:read'],
              issued_at: '2026-04-20T07:16:00.000Z',
              redeemed_at: '2026-04-20T07:16:01.000Z',
              ended_at: '2026-05-03T16:20:00.000Z',
              reason: 'addon-deactivated',
              why: 'the add-on was deactivated',
            },
          ],
          earlier: null,
          _links: [],
        },
      },
    ),
    ...administratorProblems(guards),
  ],
};

export const auditPaths = {
  '/audit/organizations': { GET: organizations },
  '/audit/organizations/{organization_id}/timeline': { GET: timeline },
  '/audit/organizations/{organization_id}/grants': { GET: grants },
} satisfies Paths;
