import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { FenceRefusal } from '../../domain/fence/fence.ts';
import type { AnyRecord } from '../../domain/records/record-resource.ts';
import { recordResources, type RecordResource } from '../../domain/records/record-resources.ts';
import type { ListReader } from '../../projections/read-models.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { scope } from '../base/scopes.ts';
import type { ListPage } from '../contracts/list-page.ts';
import { announcePolicies } from '../limits/rate-limits.ts';
import { openPath } from '../requests/cors.ts';
import { queryOf } from '../requests/params.ts';
import { makeAcceptTokens } from './accept-tokens.ts';
import { makeAnswerChanges } from './answer-changes.ts';
import { makeCursors, type Cursors } from './cursor.ts';
import type { ListDependencies } from './dependencies.ts';
import { registerGrant, type GrantDependencies } from './grant.ts';
import { listPreflight } from './list-cors.ts';
import { listPaths } from './list-paths.ts';
import { linksOf } from './page-links.ts';
import { readPageParameters, listId, placeOf } from './page-parameters.ts';
import { json, kept, presenterOf } from './present.ts';
import { bindingOf, encryptSyncToken, originIn, syncOf } from './sync-token.ts';

/** The whole public resource API: one list for each kind of records (LI-01), and what a token is for (AP-02). */
export const lists = (dependencies: ListDependencies & GrantDependencies): FastifyPluginCallback =>
  scope((app) => {
    announcePolicies(app, dependencies.rateLimits.resources);
    registerGrant(app, dependencies);
    const cursors = makeCursors(dependencies.cursorKeys);
    for (const resource of recordResources) registerList(app, dependencies, cursors, resource);
  });

const registerList = (
  app: FastifyInstance,
  dependencies: ListDependencies,
  cursors: Cursors,
  resource: RecordResource,
): void => {
  const { config, countRead, now, readModels } = dependencies;
  const { path: name } = resource;
  const url = `/${name}`;
  const reader: ListReader<AnyRecord> = readModels[resource.key];
  const present = presenterOf(resource);
  const tokens = makeAcceptTokens(dependencies);
  const answerChanges = makeAnswerChanges({ ...dependencies, cursors, reader, url, name, present });

  const list = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const guarded = await tokens.accept(request, reply, resource.scope);
    if (!guarded) return reply;
    const dead = (refusal: FenceRefusal) => tokens.refuse(reply, refusal);

    const asked = readPageParameters(queryOf(request), cursors);
    if (!asked.ok) {
      const refusal = await readModels.judge(guarded); // a revoked token is reported before bad parameters
      if (refusal) return dead(refusal);
      return sendProblem(reply, config.baseUrl, 'invalid-parameters', { errors: asked.errors });
    }
    if (asked.value.syncToken) {
      const refusal = await answerChanges(request, reply, guarded, {
        ...asked.value,
        syncToken: asked.value.syncToken,
      });
      return refusal ? dead(refusal) : reply;
    }
    const { page, perPage } = asked.value;
    const id = listId(url, guarded.subject);
    const place = placeOf(asked.value, id);
    const held = versionsIn(request.headers['if-none-match']);
    const unless = held === '*' ? [] : held;
    const read = await reader.page({ guarded, perPage, place, unless });
    if (read.refused !== null) return dead(read.refused);
    const isEmpty = read.unchanged || held === '*' || request.method === 'HEAD';
    const { grantId, userId } = guarded;
    const records = isEmpty ? 0 : read.items.length;
    countRead({ grantId, userId, list: name, records, address: request.ip });

    reply.headers({ ...kept, etag: entityTag(read.version) });
    if (read.stale) reply.header('grantbook-stale', '?1');
    if (read.unchanged || held === '*') return reply.code(304).send();
    const { items, totalItems, sync, ...ends } = read;
    const binding = bindingOf(config.issuer + url, guarded);
    const origin = sync
      ? { ...sync, issuedAt: now() }
      : asked.value.cursor && originIn(asked.value.cursor.sync, binding);
    if (!origin) throw new Error('a page by position was not asked for by a cursor');
    const pages = Math.ceil(totalItems / perPage);
    const links = linksOf(
      config.baseUrl + url,
      { ...ends, asked: asked.value, place, list: id, pages },
      { encrypt: (cursor) => cursors.encrypt({ ...cursor, sync: syncOf(origin, binding) }) },
    );
    return reply.headers({ 'content-type': json, link: links.header }).send(
      JSON.stringify({
        items: items.map(present),
        _pagination: { page, total_items: totalItems, pages, per_page: perPage },
        _links: links.body,
        sync_token: encryptSyncToken(cursors, { ...origin, binding }),
      } satisfies ListPage<object>),
    );
  };

  openPath(app, listPaths, url, list, config, listPreflight);
};

/** Version of the fields of an item and their names. Raise it when they change, so that clients do not keep old pages. */
const format = 1;

/** How many tags of a request are compared; a request with more gets at worst a full answer. */
const mostTags = 16;

/** Weak: the same records may be encoded in different bytes, e.g. after the key of cursors changes. */
export const entityTag = (version: string): string => `W/"${format}.${version}"`;

/**
 * The versions in a request's `If-None-Match`; compared weakly (RFC 9110 §13.1.2). Tags that are not ours match
 * nothing. `*` matches any list, because every list exists: 304 for every reader with a valid token.
 */
export const versionsIn = (ifNoneMatch: string | undefined): '*' | readonly string[] => {
  if (ifNoneMatch === undefined) return [];
  if (ifNoneMatch.trim() === '*') return '*';
  const versions = new Set<string>();
  for (const [, version = ''] of ifNoneMatch.matchAll(ourTag)) {
    versions.add(version);
    if (versions.size === mostTags) break;
  }
  return [...versions];
};

const ourTag = new RegExp(`"${format}\\.([A-Za-z0-9_-]{1,64})"`, 'g');
