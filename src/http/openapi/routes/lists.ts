import type { AnswerName } from '../../contracts/components.ts';
import { pageQuery } from '../../contracts/list-page.ts';
import type { Scope } from '../../../domain/scope.ts';
import { bearerChallenge, bearerProblems, json, limitedByBearer, problems } from '../answers.ts';
import type { Operation, Paths } from '../describe.ts';
import { accessRightExample, profileExample, reservationExample } from '../examples.ts';
import { always, like } from '../headers.ts';

const paging = `A token for an organization sees the organization’s records, a user’s own token those of the user’s own profiles. Follow \`next\` as it is until there is none; \`first\` and \`last\` are in the \`Link\` header.`;

type List = {
  readonly path: string;
  readonly what: string;
  readonly scope: Scope;
  readonly page: AnswerName;
};

const list = ({ path, what, scope, page }: List, item: object): Operation => ({
  id: `list-${path.slice(1)}`,
  tag: 'Lists',
  summary: `Read ${what}`,
  description: paging,
  security: [scope],
  query: pageQuery,
  answers: [
    json(
      200,
      'One page of the list.',
      page,
      {
        'Cache-Control': always('private, no-store'),
        ...limitedByBearer,
        Link: like(
          `<https://auth.example${path}?page=2>; rel="next", <https://auth.example${path}?page=1>; rel="first", <https://auth.example${path}?page=3>; rel="last"`,
        ),
      },
      {
        'the first page': {
          items: [item],
          _pagination: { page: 1, total_items: 3, pages: 3, per_page: 1 },
          _links: [{ rel: 'next', type: 'GET', href: `https://auth.example${path}?page=2&per_page=1` }],
        },
        'past the last page': {
          items: [],
          _pagination: { page: 9, total_items: 3, pages: 3, per_page: 1 },
          _links: [{ rel: 'prev', type: 'GET', href: `https://auth.example${path}?page=3&per_page=1` }],
        },
      },
    ),
    ...problems(['invalid-parameters', ...bearerProblems], limitedByBearer, {
      401: bearerChallenge,
      403: bearerChallenge,
    }),
  ],
});

/** The resource API (LI-01). */
export const listPaths: Paths = {
  '/profiles': {
    GET: list(
      { path: '/profiles', what: 'profiles', scope: 'profiles:read', page: 'ProfilePage' },
      profileExample,
    ),
  },
  '/reservations': {
    GET: list(
      { path: '/reservations', what: 'reservations', scope: 'reservations:read', page: 'ReservationPage' },
      reservationExample,
    ),
  },
  '/access-rights': {
    GET: list(
      { path: '/access-rights', what: 'access rights', scope: 'access-rights:read', page: 'AccessRightPage' },
      accessRightExample,
    ),
  },
};
