import { pageQuery } from '../contracts/list-page.ts';
import { recordResources, type RecordResource } from '../../domain/records/record-resources.ts';
import { preflightOf } from '../requests/cors.ts';
import { anyOrigin, listPreflight } from '../lists/list-cors.ts';
import { bearerChallenge, bearerProblems, json, limitedByBearer, problems } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { recordExample } from '../openapi/examples.ts';
import { always, like, maybeLike, sometimes, type HeaderUses } from '../openapi/headers.ts';

const paging = `A token for an organization sees the organization’s records, a user’s own token those of the user’s own profiles, organization after organization. Oldest first; a record that was removed and comes again is a new one.

Follow \`next\` as it is until there is none: that delivers everything that is there during the whole walk once, and nothing twice, whatever is added or removed meanwhile; what is added after the first page is for the next walk. A page that is asked for by number is that slice of the list as it is now. \`_pagination\` counts the list as it is now, too; \`first\` and \`last\` are in the \`Link\` header.

Keep the \`sync_token\` of the first page. Later, \`?sync_token=\` returns what was added, changed or removed since, the oldest change first, removed records as \`{"id", "deleted": true, "updated_at"}\`; each of its pages has the token to use next. Such a page has no \`ETag\`.

Send the \`ETag\` of a page as \`If-None-Match\`, to be answered 304 for as long as nothing in the list has changed.`;

const exposed = anyOrigin['access-control-expose-headers'];

/** Scripts of any site may read a list: they need a token for it, and cookies are ignored. */
export const anywhere: HeaderUses = {
  'Access-Control-Allow-Origin': always('*'),
  'Access-Control-Expose-Headers': always(exposed),
};
export const mostly: HeaderUses = {
  ...limitedByBearer,
  'Access-Control-Allow-Origin': sometimes('*'),
  'Access-Control-Expose-Headers': sometimes(exposed),
};

const tag = 'W/"1.pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4"';
const tagged: HeaderUses = {
  ...anywhere,
  ...limitedByBearer,
  'Cache-Control': always('private, no-cache'),
  'Grantbook-Stale': sometimes('?1'),
  ETag: like(tag),
  Vary: always('Authorization, Accept-Encoding'),
};

const ask = (what: string): Operation =>
  preflightOf({
    id: `${what.replaceAll(' ', '-')}-preflight`,
    tag: 'Lists',
    summary: `CORS preflight for ${what}`,
    methods: listPreflight[0],
    headers: listPreflight[1],
    more: { 'RateLimit-Policy': limitedByBearer['RateLimit-Policy'] },
  });

const list = (resource: RecordResource, path: string): Operation => ({
  id: `list-${resource.path}`,
  tag: 'Lists',
  summary: `Read ${resource.words.many}`,
  description: paging,
  security: [resource.scope],
  query: pageQuery,
  answers: [
    json(
      200,
      'One page of the list.',
      `${resource.name}Page`,
      {
        ...tagged,
        ETag: maybeLike(tag), // not of changes
        Link: like(
          `<https://auth.example${path}?page=2&cursor=AQJrMZ8xTq0L>; rel="next", <https://auth.example${path}?page=1>; rel="first", <https://auth.example${path}?page=3>; rel="last"`,
        ),
      },
      {
        'the first page': {
          items: [recordExample(resource)],
          _pagination: { page: 1, total_items: 3, pages: 3, per_page: 1 },
          sync_token: 'AgJrMd66Jke2KMob1m8',
          _links: [
            {
              rel: 'next',
              type: 'GET',
              href: `https://auth.example${path}?page=2&per_page=1&cursor=AQJrMZ8xTq0L`,
            },
          ],
        },
        'past the last page': {
          items: [],
          _pagination: { page: 9, total_items: 3, pages: 3, per_page: 1 },
          _links: [{ rel: 'prev', type: 'GET', href: `https://auth.example${path}?page=3&per_page=1` }],
          sync_token: 'AgJrMd66Jke2KMob1m8',
        },
        'what has changed since': {
          items: [recordExample(resource), { id: 'gone', deleted: true, updated_at: '2026-05-02T08:00:00Z' }],
          _pagination: { page: 1, total_items: 2, pages: 1, per_page: 25 },
          _links: [],
          sync_token: 'AgJrMaft663RHr8neEC',
        },
      },
    ),
    {
      status: 304,
      description:
        'Nothing in the list has changed since the answer with this tag; the token is still valid.',
      headers: tagged,
    },
    ...problems(['invalid-parameters', 'sync-token-expired', ...bearerProblems], mostly, {
      401: bearerChallenge,
      403: bearerChallenge,
      410: { Link: like(`<https://auth.example${path}>; rel="first"`) },
    }),
  ],
});

/** The resource API (LI-01). */
export const listPaths: Paths = Object.fromEntries(
  recordResources.map((resource) => {
    const path = `/${resource.path}`;
    return [path, { GET: list(resource, path), OPTIONS: ask(resource.words.many) }];
  }),
);
