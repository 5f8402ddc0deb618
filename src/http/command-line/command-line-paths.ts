import {
  administratorProblems,
  administratorRefusals,
  json,
  neverTransformed,
  noStore,
  problems,
} from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { userId } from '../openapi/examples.ts';

const tag = 'Administration of the service';
const guards = administratorRefusals;
const ada = {
  user_id: userId,
  name: 'Ada Ahoi',
  roles: ['operator' as const],
  expires_at: '2026-05-04T08:00:00.000Z',
  version: '1.0.0',
};

const show: Operation = {
  tag,
  security: ['administrator-token'],
  id: 'operator-show-token',
  summary: 'Show whose token it is',
  description:
    'For operators, auditors and members of publishers: their account, and the version of the service.',
  answers: [
    json(200, 'The account of the token.', 'OperatorToken', noStore, { one: ada }),
    ...administratorProblems(guards),
  ],
};

const exchange: Operation = {
  tag,
  security: [],
  id: 'operator-exchange-code',
  summary: 'Exchange the code of a sign-in on the command line',
  description:
    'The code comes from `/account/command-line`, where an operator, an auditor or a member of a publisher allows the command line (`grantbook login --server`). It is valid for a minute, once, and with its code verifier (RFC 7636).',
  json: 'CommandLineCodeForm',
  answers: [
    json(200, 'A token for a day.', 'CommandLineToken', neverTransformed, {
      one: { access_token: 'mkt_admin_AQABjZ0', token_type: 'Bearer', expires_in: 86_400 },
    }),
    ...problems([
      'invalid-parameters',
      'malformed-request',
      'too-large',
      'unsupported-media-type',
      'change-refused',
    ]),
  ],
};

const end: Operation = {
  tag,
  security: ['administrator-token'],
  id: 'operator-end-token',
  summary: 'End the token that the request is sent with',
  answers: [
    json(200, 'The account that it was of.', 'OperatorToken', noStore, { one: ada }),
    ...administratorProblems(guards),
  ],
};

export const commandLinePaths = {
  '/operator/api/token': { GET: show, POST: exchange, DELETE: end },
} as const satisfies Paths;
