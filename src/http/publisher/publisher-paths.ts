import { z } from 'zod';
import { addons } from '../../administration/addons.ts';
import { changeExample } from '../../administration/addons/addon-changes.ts';
import { signals } from '../../administration/signals.ts';
import { pageQuery as pages } from '../operator/api-paths.ts';
import type { ParameterTable } from '../contracts/parameters.ts';
import { administratorProblems, administratorRefusals, json } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { clientId, organizationId } from '../openapi/examples.ts';
import { always, type HeaderUses } from '../openapi/headers.ts';

export const pageQuery = pages;

/** Two more are kept (keep-usage.ts). */
const usageDays = 30;

export const usageQuery = z.object({
  days: z
    .int()
    .min(1)
    .max(usageDays)
    .default(usageDays)
    .meta({
      description: 'How many days, today among them.',
      'x-allowed': `a whole number from 1 to ${usageDays}`,
    }),
}) satisfies ParameterTable;

const noStore: HeaderUses = { 'Cache-Control': always('no-store') };
const guards = [...administratorRefusals, 'event-unreadable'] as const;
const ofAddon = [...guards, 'addon-unknown'] as const;
const changes = [
  ...ofAddon,
  'malformed-request',
  'other-origin',
  'too-large',
  'unsupported-media-type',
  'too-many-requests',
] as const;

const common = {
  tag: 'Add-ons of a publisher',
  security: ['administrator-token', 'session'],
} as const satisfies Partial<Operation>;

const secretId = '01JD6P8R0T2V4X6Z8B0D2F4H6M';

const list: Operation = {
  ...common,
  id: 'publisher-list-addons',
  summary: 'List your add-ons',
  query: pageQuery,
  answers: [
    json(200, 'One page of them.', 'ManagedAddonList', noStore, {
      one: { items: [addons.example], next: null },
    }),
    ...administratorProblems([...guards, 'not-a-publisher']),
  ],
};

const show: Operation = {
  ...common,
  id: 'publisher-show-addon',
  summary: 'Show how an add-on is registered',
  answers: [
    json(200, 'What it is now.', 'ManagedAddon', noStore, { one: addons.example }),
    ...administratorProblems(ofAddon),
  ],
};

const organizations: Operation = {
  ...common,
  id: 'publisher-list-organizations',
  summary: 'List the organizations that have the add-on active',
  description: 'Those that hide their names from publishers are only counted.',
  query: pageQuery,
  answers: [
    json(200, 'One page of them.', 'ActiveOrganizations', noStore, {
      one: {
        items: [
          {
            organization_id: organizationId,
            name: 'Harbour House',
            activated_at: '2026-05-01T08:00:00.000Z',
          },
        ],
        next: null,
        shown: 1,
        hidden: 2,
      },
    }),
    ...administratorProblems(ofAddon),
  ],
};

const secrets = { items: [{ secret_id: secretId, added_at: '2026-05-01T08:00:00.000Z' }] };
const listSecrets: Operation = {
  ...common,
  id: 'publisher-list-secrets',
  summary: 'List the client secrets',
  answers: [
    json(200, 'The valid ones, oldest first.', 'AddonSecrets', noStore, { one: secrets }),
    ...administratorProblems(ofAddon),
  ],
};
const addSecret: Operation = {
  ...common,
  id: 'publisher-add-secret',
  summary: 'Add a client secret',
  description: 'It is valid next to the others until these are removed; at most five are.',
  answers: [
    json(201, 'The secret.', 'AddedSecret', noStore, {
      added: { client_id: clientId, secret_id: secretId, client_secret: 'mkt_cs_9Qw3eVAJx0rY4mQm2d1s8' },
    }),
    ...administratorProblems([...changes, 'change-refused']),
  ],
};
const removeSecret: Operation = {
  ...common,
  id: 'publisher-remove-secret',
  summary: 'Remove a client secret',
  description: 'It stops working within five seconds. The last one stays.',
  answers: [
    json(200, 'Those that are left.', 'AddonSecrets', noStore, { one: secrets }),
    ...administratorProblems([...changes, 'change-refused']),
  ],
};

const listChanges: Operation = {
  ...common,
  id: 'publisher-list-changes',
  summary: 'List the changes that were proposed',
  answers: [
    json(200, 'The newest first.', 'AddonChanges', noStore, { one: { items: [changeExample] } }),
    ...administratorProblems(ofAddon),
  ],
};
const propose: Operation = {
  ...common,
  id: 'publisher-propose-change',
  summary: 'Propose a change',
  description:
    'It waits until an operator approves or refuses it, unless `PUBLISHER_CHANGES` is `free`: then its `state` is `approved` at once. Each field has to change something.',
  json: 'AddonChangeForm',
  answers: [
    json(201, 'The change.', 'AddonChange', noStore, { waiting: changeExample }),
    ...administratorProblems([...changes, 'change-refused']),
  ],
};
const withdraw: Operation = {
  ...common,
  id: 'publisher-withdraw-change',
  summary: 'Withdraw a change that waits',
  answers: [
    json(200, 'The change.', 'AddonChange', noStore, {
      withdrawn: { ...changeExample, state: 'withdrawn', decided_at: '2026-05-03T16:20:00.000Z' },
    }),
    ...administratorProblems([...changes, 'change-refused']),
  ],
};

const stream = json(200, 'The stream.', 'ManagedSignals', noStore, { one: signals.example });
const showSignals: Operation = {
  ...common,
  id: 'publisher-show-signals',
  summary: 'Show the signal stream with its last failures',
  answers: [stream, ...administratorProblems([...ofAddon, 'signals-unknown'])],
};
const testSignals: Operation = {
  ...common,
  id: 'publisher-test-signals',
  summary: 'Send a verification event',
  description: 'At most once in five seconds.',
  answers: [stream, ...administratorProblems([...changes, 'signals-unknown'])],
};
const replaySignals: Operation = {
  ...common,
  id: 'publisher-replay-signals',
  summary: 'Offer signals again',
  description: 'Everything that is kept and came after the position, with the same ids.',
  json: 'ReplaySignalsForm',
  answers: [stream, ...administratorProblems([...changes, 'signals-unknown'])],
};

const usage: Operation = {
  ...common,
  id: 'publisher-show-usage',
  summary: 'Show what the add-on did, day by day',
  description:
    'Counts appear within two minutes. A refusal also counts where somebody else used the add-on’s id without its secret.',
  query: usageQuery,
  answers: [
    json(200, 'The last days.', 'AddonUsage', noStore, {
      one: {
        counted_since: '2026-04-01T00:00:00.000Z',
        days: [
          {
            day: '2026-05-03',
            tokens: 12,
            requests: [{ name: 'access-rights', count: 340 }],
            refusals: [
              {
                endpoint: 'access-rights',
                reason: 'token-expired',
                count: 3,
                last_at: '2026-05-03T16:04:31.000Z',
                last_request_id: '5f0c2a1e00000038',
                explanation: 'https://auth.example/problems/token-expired',
              },
            ],
            limits: [{ name: 'activation', count: 1 }],
          },
        ],
      },
    }),
    ...administratorProblems(ofAddon),
  ],
};

const root = '/publisher/api/addons/{client_id}';

/** For members of publishers (AP-10). */
export const publisherPaths = {
  '/publisher/api/addons': { GET: list },
  [root]: { GET: show },
  [`${root}/organizations`]: { GET: organizations },
  [`${root}/secrets`]: { GET: listSecrets, POST: addSecret },
  [`${root}/secrets/{secret_id}`]: { DELETE: removeSecret },
  [`${root}/changes`]: { GET: listChanges, POST: propose },
  [`${root}/changes/{change_id}/withdraw`]: { POST: withdraw },
  [`${root}/signals`]: { GET: showSignals },
  [`${root}/signals/test`]: { POST: testSignals },
  [`${root}/signals/replay`]: { POST: replaySignals },
  [`${root}/usage`]: { GET: usage },
} satisfies Paths;
