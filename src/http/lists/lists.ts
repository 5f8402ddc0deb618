import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { FenceRefusal } from '../../domain/fence/fence.ts';
import { type AnyRecord, type RecordDescription, wireName } from '../../domain/records/record-resource.ts';
import { recordResources, type RecordResource } from '../../domain/records/record-resources.ts';
import type { ListItem, ListReader, ListReaders } from '../../projections/read-models.ts';
import type { ReadCounter } from '../../projections/read-counts/count-reads.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { path } from '../base/routes.ts';
import { scope } from '../base/scopes.ts';
import type { ListPage } from '../contracts/list-page.ts';
import { announcePolicies } from '../limits/rate-limits.ts';
import { answerPreflight } from '../requests/cors.ts';
import { queryOf } from '../requests/params.ts';
import { makeAcceptTokens, type BearerDependencies } from './accept-tokens.ts';
import { makeCursors, type CursorKey, type Cursors } from './cursor.ts';
import { entityTag, versionsIn } from './entity-tag.ts';
import { registerGrant, type GrantDependencies } from './grant.ts';
import { listPreflight } from './list-cors.ts';
import { listPaths } from './list-paths.ts';
import { linksOf } from './page-links.ts';
import { readPageParameters } from './page-parameters.ts';
import { listId, placeOf } from './place.ts';

export type ListDependencies = BearerDependencies & {
  readonly readModels: ListReaders;
  /** Counts an answered page of a list. No I/O. */
  readonly countRead: ReadCounter['count'];
  /** The same on all instances: the first encrypts cursors of links, those of the others are accepted. */
  readonly cursorKeys: readonly [CursorKey, ...CursorKey[]];
};

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
  const { config, countRead, readModels } = dependencies;
  const { path: name } = resource;
  const url = `/${name}`;
  const reader: ListReader<AnyRecord> = readModels[resource.key];
  const present = presenterOf(resource);
  const tokens = makeAcceptTokens(dependencies);

  const list = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const guarded = await tokens.accept(request, reply, resource.scope);
    if (!guarded) return reply;
    const dead = (refusal: FenceRefusal) => tokens.refuse(request, reply, refusal);

    const asked = readPageParameters(queryOf(request), cursors);
    if (!asked.ok) {
      const refusal = await readModels.judge(guarded); // a revoked token is reported before bad parameters
      if (refusal) return dead(refusal);
      return sendProblem(request, reply, config.baseUrl, 'invalid-parameters', { errors: asked.errors });
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
    const { items, totalItems, ...ends } = read;
    const pages = Math.ceil(totalItems / perPage);
    const links = linksOf(
      config.baseUrl + url,
      { ...ends, asked: asked.value, place, list: id, pages },
      cursors,
    );
    return reply.headers({ 'content-type': json, link: links.header }).send(
      JSON.stringify({
        items: items.map(present),
        _pagination: { page, total_items: totalItems, pages, per_page: perPage },
        _links: links.body,
      } satisfies ListPage<object>),
    );
  };

  path(app, listPaths, url, { GET: list, OPTIONS: answerPreflight(...listPreflight) }, (request, reply) =>
    sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
  );
};

const json = 'application/json; charset=utf-8';
/** Caches must revalidate a stored page with its tag before each use, so that a revoked token cannot show it again. */
const kept = { 'cache-control': 'private, no-cache', vary: 'Authorization, Accept-Encoding' } as const;

type PresentedItem = Readonly<Record<string, string | number | null>>;

/** A record in the form of `contracts/records.ts`: always the same keys in the same order, which serializes fast. */
const presenterOf = ({ fields }: RecordDescription): ((item: ListItem<AnyRecord>) => PresentedItem) => {
  const named = Object.keys(fields).map((name) => [name, wireName(name)] as const);
  return (item) => {
    const presented: Record<string, string | number | null> = { id: item.id, version: item.version };
    for (const [name, onWire] of named) presented[onWire] = item[name] ?? null;
    presented['created_at'] = item.createdAt;
    presented['updated_at'] = item.updatedAt;
    return presented;
  };
};
