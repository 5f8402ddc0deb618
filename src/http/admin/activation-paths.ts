import { administratorProblems, administratorRefusals, json, noStore } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { clientId, organizationId, userId } from '../openapi/examples.ts';

const ids = { organization_id: organizationId, client_id: clientId };
const guards = [...administratorRefusals, 'not-an-administrator'] as const;
const changes = [
  ...guards,
  'malformed-request',
  'other-origin',
  'too-large',
  'unsupported-media-type',
] as const;

const common = {
  tag: 'Add-ons of an organization',
  security: ['administrator-token', 'session'],
} as const satisfies Partial<Operation>;

const facts = {
  status: 'active',
  epoch: 1,
  name: 'Door Opener',
  suspended: false,
  retired: false,
  configuration_url: 'https://addon.example/configure',
  allowed_scopes: ['profiles:read', 'reservations:read', 'access-rights:read'],
  activated_by: userId,
  activated_at: '2026-04-20T07:15:00.000Z',
  deactivated_by: null,
  deactivated_at: null,
  revocation: null,
};
const held = {
  live_grants: 2,
  unredeemed_codes: 0,
  approvers: 1,
  scopes: ['profiles:read', 'access-rights:read'],
  last_token_at: '2026-05-03T16:04:31.000Z',
};

const next = (operation: string, description: string, client_id = '$response.body#/client_id') => ({
  operation,
  description,
  parameters: { organization_id: '$request.path.organization_id', client_id },
});
const showNext = { show: next('show-activation', 'Its activation.') };
const activateNext = { activate: next('activate', 'Activates it.') };
const deactivateNext = { deactivate: next('deactivate', 'Ends all its access.') };

const list: Operation = {
  ...common,
  id: 'list-addons',
  summary: 'List the add-ons',
  description: 'Every registered add-on, by name, with its activation for this organization.',
  answers: [
    json(
      200,
      'The add-ons.',
      'OrganizationAddons',
      noStore,
      {
        'one that is active': {
          items: [{ client_id: clientId, ...facts, ...held }],
        },
      },
      { show: next('show-activation', 'The activation of the first.', '$response.body#/items/0/client_id') },
    ),
    ...administratorProblems(guards),
  ],
};

const show: Operation = {
  ...common,
  id: 'show-activation',
  summary: 'Show whether an add-on is active',
  description:
    'Status, epoch, actors, times and the revocation come from the log; counts come from the read models, see the fields. `deactivated` alone does not say that every instance refuses the tokens yet: the answer to the deactivation does, and `revocation.completed`.',
  answers: [
    json(
      200,
      'Its activation.',
      'Activation',
      noStore,
      {
        active: {
          ...ids,
          ...facts,
          ...held,
          approvals: [
            {
              user_id: userId,
              name: 'Ada Ahoi',
              scopes: ['profiles:read', 'access-rights:read'],
              live_grants: 2,
              unredeemed_codes: 0,
              last_token_at: '2026-05-03T16:04:31.000Z',
            },
          ],
        },
        deactivated: {
          ...ids,
          ...facts,
          status: 'deactivated',
          deactivated_by: userId,
          deactivated_at: '2026-05-03T16:20:00.000Z',
          revocation: { completed: true, grants: 2 },
          live_grants: 0,
          unredeemed_codes: 0,
          approvers: 0,
          scopes: [],
          last_token_at: '2026-05-03T16:04:31.000Z',
          approvals: [],
        },
      },
      { ...activateNext, ...deactivateNext },
    ),
    ...administratorProblems([...guards, 'addon-unknown', 'event-unreadable']),
  ],
};

const activate: Operation = {
  ...common,
  id: 'activate',
  summary: 'Activate an add-on',
  description:
    'Lets the add-on ask for access to the organization’s records. Send the administrator’s browser to `configuration_url` next, where the add-on starts at `/oauth/authorize`. Activating an active add-on changes nothing. After 200 activations within 24 hours the next one has to wait; deactivating never has to. With a session, this browser is handed over to the add-on: for ten minutes the organization is preselected when the add-on asks at `/oauth/authorize`. With an administrator token nobody is handed over, and the user chooses there as usual.',
  answers: [
    json(
      200,
      'It is active.',
      'Activated',
      noStore,
      {
        activated: {
          ...ids,
          status: 'active',
          epoch: 1,
          position: '8231/8231',
          configuration_url: `https://addon.example/configure?activation_hint=Jx0rY4m9bQm2d1s8Qw3eVA&organization=${organizationId}`,
        },
      },
      { ...showNext, ...deactivateNext },
    ),
    ...administratorProblems([
      ...changes,
      'addon-unknown',
      'organization-unknown',
      'organization-closed',
      'configuration-url-missing',
      'activation-refused-while-suspended',
      'addon-retired',
      'activated-too-often',
      'event-unreadable',
    ]),
  ],
};

const deactivate: Operation = {
  ...common,
  id: 'deactivate',
  summary: 'Deactivate an add-on',
  description:
    'Ends all access of the add-on to the organization: every request that begins after the answer is refused, with any code or token of it. Doing it again changes nothing and answers the same epoch and position, without the numbers. Without an answer, or with another status than 200, the outcome is unknown: repeat the call until the answer is 200.',
  answers: [
    json(
      200,
      'It has lost all access.',
      'DeactivationReceipt',
      noStore,
      {
        receipt: {
          ...ids,
          status: 'deactivated',
          epoch: 1,
          position: '9120/9120',
          fenced_at: '2026-05-03T16:20:00.000Z',
          live_grants: 2,
          unredeemed_codes: 0,
          approvers: 1,
        },
      },
      { ...showNext, ...activateNext },
    ),
    ...administratorProblems([
      ...changes,
      'addon-unknown',
      'organization-unknown',
      'never-activated',
      'event-unreadable',
    ]),
  ],
};

/** The administrators' JSON API (AC-04). */
export const activationPaths = {
  '/organizations/{organization_id}/addons': { GET: list },
  '/organizations/{organization_id}/addons/{client_id}/activation': {
    GET: show,
    PUT: activate,
    DELETE: deactivate,
  },
} satisfies Paths;
