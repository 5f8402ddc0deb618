import { Client } from 'pg';
import type { GrantSubject } from '../../src/domain/access/grant.ts';
import type { LogMessage, Position } from '../../src/eventstore/event-store.ts';
import { liveReadModels, takeLease } from '../../src/projections/follow/checkpoint.ts';
import { readModelProjections } from '../../src/projections/read-model-projections.ts';
import { writeBatch } from '../../src/projections/follow/write-batch.ts';
import { makeCursors } from '../../src/http/lists/cursor.ts';
import { entityTag, versionsIn } from '../../src/http/lists/lists.ts';
import { linksOf } from '../../src/http/lists/page-links.ts';
import { readPageParameters, listId, placeOf } from '../../src/http/lists/page-parameters.ts';
import { parseParams } from '../../src/http/requests/params.ts';
import type { ListReader } from '../../src/projections/read-models.ts';
import { cursorKeysOf, startHttpApp, type OwnHttpApp } from '../support/scenes/http-app.ts';
import { positionOf } from '../support/log/test-projector.ts';
import type { Kind } from './lists-array.ts';
import { listToken } from './lists-token.ts';
import type { Answer, Request } from './lists-visitor.ts';
import type { Tell } from './lists-world.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * The real thing, from the projections to HTTP, on a database of its own. What is told is written when the test says so, in
 * batches that it chooses, so that many stories share one transaction.
 */
export const openStage = async () => {
  const http = await startHttpApp({ projector: null });
  const client = new Client({ connectionString: http.database.url });
  await client.connect();
  // As the projector has it (projector.ts).
  await client.query(
    'set synchronous_commit = off; set jit = off; set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off',
  );
  // Blocks so small that some positions of a story are in each, of lists of more than a few records.
  await client.query(
    `create or replace function list_change_bits(level integer) returns integer language sql immutable parallel safe
     return case level when 0 then 6 else 9 end;
     create or replace function list_changes_counted_from() returns bigint language sql immutable parallel safe return 4`,
  );
  const { lease } = await takeLease(client, liveReadModels);
  const revisions = new Map<string, bigint>();
  let told: LogMessage[] = [];
  let count = 0;
  let position: Position | null = null;

  const tell: Tell = (stream, event) => {
    const revision = (revisions.get(stream) ?? -1n) + 1n;
    revisions.set(stream, revision);
    count += 1;
    const recorded = {
      id: `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
      stream,
      revision,
      position: positionOf(10 * count),
      created: Date.UTC(2026, 0, 1) + 1000 * count,
      event,
      metadata: {},
    };
    told.push({ kind: 'event', event: recorded });
    return recorded;
  };

  return {
    http,
    baseUrl: http.baseUrl,
    tell,
    /** Projects what was told since, in so many transactions. */
    async project(batches: number): Promise<void> {
      const messages = told;
      told = [];
      const size = Math.max(1, Math.ceil(messages.length / batches));
      const needs = { client, lease, projections: readModelProjections };
      for (let at = 0; at < messages.length; at += size)
        position = await writeBatch(needs, position, messages.slice(at, at + size));
    },
    /** As the add-on gets it. */
    overHttp: async ({ url, ifNoneMatch }: Request, subject: GrantSubject): Promise<Answer> => {
      const unless = ifNoneMatch === null ? {} : { 'if-none-match': ifNoneMatch };
      const headers = { authorization: `Bearer ${listToken(http.keys, subject)}`, ...unless };
      const answer = await http.app.inject({ url: url.slice(http.baseUrl.length), headers });
      const { etag, link } = answer.headers;
      const told = { etag: etag === undefined ? undefined : String(etag), link: String(link) };
      return { status: answer.statusCode, body: answer.body, ...told };
    },
    underHttp: underTheRoute(http),
    /** The rows of all lists, as `lists-array.ts` has them; afterwards there are none. */
    async takeRows(): Promise<readonly string[]> {
      const { rows } = await client.query<{ readonly line: string }>(allRows);
      await client.query(
        'truncate lists, list_blocks, list_removals, list_change_blocks, profiles, reservations, access_rights',
      );
      return rows.map(({ line }) => line);
    },
    async close(): Promise<void> {
      await client.end();
      await http.close();
    },
  };
};

const kinds: readonly Kind[] = ['profiles', 'reservations', 'access_rights'];

const recordRows = kinds.map(
  (kind) => `
    select '${kind} ' || organization_id || '  ' || ordinal || ': ' || id || ' since ' || entered from ${kind}
    union all
    select '${kind} ' || organization_id || ' ' || user_id || ' ' || user_ordinal || ': ' || id || ' since ' || user_entered
    from ${kind} where user_id is not null`,
);

const allRows = `
  select list || ' ' || organization_id || ' ' || user_id || ': ' || total || ' of ' || next_ordinal || ', changed at ' || changed
    as line from lists
  union all
  select list || ' ' || organization_id || ' ' || user_id || ' has ' || records || ' in ' || level || '/' || block from list_blocks
  union all ${recordRows.join(' union all ')}`;

/** What the route does, without HTTP around it: most of the time would go there. */
const underTheRoute = ({ keys, baseUrl, readModels }: OwnHttpApp) => {
  const cursors = makeCursors(cursorKeysOf(keys));
  const readers = {
    '/profiles': readModels.profiles,
    '/reservations': readModels.reservations,
    '/access-rights': readModels.accessRights,
  } as const satisfies Record<string, ListReader<object>>;

  return async ({ url, ifNoneMatch }: Request, subject: GrantSubject): Promise<Answer> => {
    const [address = '', query = ''] = url.split('?');
    const asked = readPageParameters(parseParams(query), cursors);
    if (!asked.ok) throw new Error(`${url}: ${JSON.stringify(asked.errors)}`);
    const { page, perPage } = asked.value;
    const path = address.slice(baseUrl.length) as keyof typeof readers;
    const list = listId(path, subject);
    const place = placeOf(asked.value, list);
    const unless = versionsIn(ifNoneMatch ?? undefined);
    const guarded = { grantId: 'G1', addonId: 'A1', userId: 'U1', rotation: 0, subject };
    const read = await readers[path].page({ guarded, perPage, place, unless: unless === '*' ? [] : unless });
    if (read.refused !== null) return { status: 401, etag: undefined, link: '', body: '' };
    const etag = entityTag(read.version);
    if (read.unchanged) return { status: 304, etag, link: '', body: '' };
    const { items, totalItems, ...ends } = read;
    const pages = Math.ceil(totalItems / perPage);
    const links = linksOf(
      address,
      { ...ends, asked: asked.value, place, list, pages },
      { encrypt: (cursor) => cursors.encrypt({ ...cursor, sync: { position: 0n, state: 0n, minutes: 0 } }) },
    );
    const shown = items.map((item) => ({
      ...item,
      created_at: item.createdAt,
      updated_at: item.updatedAt,
      ...('profileId' in item
        ? { profile_id: item.profileId }
        : { user_id: 'userId' in item && item.userId }),
    }));
    const _pagination = { page, total_items: totalItems, pages, per_page: perPage };
    const body = JSON.stringify({ items: shown, _pagination, _links: links.body });
    return { status: 200, etag, link: links.header, body };
  };
};
