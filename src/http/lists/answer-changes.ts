import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessTokenClaims } from '../../commands/credentials/access-token.ts';
import type { FenceRefusal } from '../../domain/fence/fence.ts';
import type { AnyRecord } from '../../domain/records/record-resource.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import type { ChangePlace, ListItem, ListReader, RemovedItem } from '../../projections/read-models.ts';
import { sendProblem } from '../answers/send-problem.ts';
import type { ListPage } from '../contracts/list-page.ts';
import type { Cursor, Cursors } from './cursor.ts';
import type { ListDependencies } from './dependencies.ts';
import { linksOf } from './page-links.ts';
import { syncTokenProblem, type PageParameters, listId, placeOf } from './page-parameters.ts';
import { json, kept, type PresentedItem } from './present.ts';
import { bindingOf, encryptSyncToken, type SyncToken } from './sync-token.ts';

type Needs = Pick<ListDependencies, 'config' | 'countRead' | 'now' | 'readModels'> & {
  readonly cursors: Cursors;
  readonly reader: ListReader<AnyRecord>;
  readonly url: string;
  readonly name: RecordResource['path'];
  readonly present: (item: ListItem<AnyRecord>) => PresentedItem;
};

type Asked = PageParameters & { readonly syncToken: SyncToken };

const DAY = 86_400_000;

/** Answers with the changes since a token (AP-05). @returns why the access token is refused, before anything was sent; else null */
export const makeAnswerChanges =
  ({ config, countRead, now, readModels, cursors, reader, url, name, present }: Needs) =>
  async (
    request: FastifyRequest,
    reply: FastifyReply,
    guarded: AccessTokenClaims,
    asked: Asked,
  ): Promise<FenceRefusal | null> => {
    const { perPage, syncToken: token } = asked;
    const { grantId, userId, subject } = guarded;
    const isForeign = token.binding !== bindingOf(config.issuer + url, guarded);
    // The time in the token is rounded down by up to a minute.
    const expiresAt = token.issuedAt + 60_000 + config.syncRetentionDays * DAY;
    if (isForeign || expiresAt < now()) {
      const refusal = await readModels.judge(guarded); // as before bad parameters
      if (!refusal && isForeign)
        sendProblem(reply, config.baseUrl, 'invalid-parameters', {
          errors: [syncTokenProblem('foreign')],
        });
      else if (!refusal) sendExpired(reply, config.baseUrl, url, asked);
      return refusal;
    }
    const list = listId(`${url} since ${token.text}`, subject);
    const place = placeOf(asked, list);
    const from = place.by === 'page' ? place : { by: place.by, ...changesIn(asked.cursor) };
    const read = await reader.changes({ guarded, perPage, origin: token, place: from });
    if (read.refused !== null) return read.refused;
    if (!read.isKnown) {
      sendExpired(reply, config.baseUrl, url, asked);
      return null;
    }
    const { items, totalItems, next, ...ends } = read;
    const records = request.method === 'HEAD' ? 0 : items.filter((item) => !isRemoved(item)).length;
    countRead({ grantId, userId, list: name, records, address: request.ip });
    const pages = Math.ceil(totalItems / perPage);
    const links = linksOf(
      config.baseUrl + url,
      { ...ends, asked, place, list, pages, bound: 0n, syncToken: token.text },
      { encrypt: (cursor) => cursors.encrypt({ ...cursor, sync: syncAt(cursor, totalItems) }) },
    );
    if (read.stale) reply.header('grantbook-stale', '?1');
    reply.headers({ ...kept, 'content-type': json, link: links.header }).send(
      JSON.stringify({
        items: items.map((item) => (isRemoved(item) ? presentRemoved(item, subject.kind) : present(item))),
        _pagination: { page: asked.page, total_items: totalItems, pages, per_page: perPage },
        _links: links.body,
        sync_token: encryptSyncToken(cursors, { ...token, place: next, issuedAt: now() }),
      } satisfies ListPage<object>),
    );
    return null;
  };

/** The cursor of a link among changes holds the position of its place, and the number of changes. */
const syncAt = ({ position }: Pick<Cursor, 'position'>, total: number) => ({
  position: (position as ChangePlace).position,
  state: BigInt(total),
  minutes: 0,
});
const changesIn = (cursor: Cursor | null) => ({
  position: {
    organizationId: cursor?.position.organizationId ?? '',
    ordinal: cursor?.position.ordinal ?? -1,
    position: cursor?.sync.position ?? 0n,
  },
  total: Number(cursor?.sync.state ?? 0),
});

const isRemoved = (item: ListItem<AnyRecord> | RemovedItem): item is RemovedItem => 'removedAt' in item;

const presentRemoved = (
  { id, organizationId, removedAt }: RemovedItem,
  subject: AccessTokenClaims['subject']['kind'],
): object => ({
  id,
  ...(subject === 'user' && { organization_id: organizationId }),
  deleted: true,
  updated_at: new Date(removedAt).toISOString(),
});

const sendExpired = (
  reply: FastifyReply,
  baseUrl: string,
  url: string,
  { perPage, perPageSent }: PageParameters,
): void => {
  const href = `${baseUrl}${url}${perPageSent ? `?per_page=${perPage}` : ''}`;
  sendProblem(reply.header('link', `<${href}>; rel="first"`), baseUrl, 'sync-token-expired', {
    _links: [{ rel: 'first', type: 'GET', href }],
  });
};
