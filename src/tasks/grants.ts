import { z } from 'zod';
import { timeOf, timeOrNull } from '../common/iso-time.ts';
import type { ShownGrant } from '../commands/access/show-grant.ts';
import { isUlid } from '../domain/kernel/ids.ts';
import { cursorText, readCursor } from '../domain/kernel/list-cursor.ts';
import { scopes } from '../domain/access/scope.ts';
import { grantStream } from '../domain/streams.ts';
import type { GrantFilter, GrantRow } from '../projections/read-models.ts';
import { age, oneOf, reference } from './fields.ts';
import { entity, sortedBy, task, type Listed, type Page, type Services } from './task.ts';
import { idOf, shown, state } from './answer-fields.ts';
import { english } from '../common/words.ts';

const { fields, grant: texts } = english.tasks;

export const grantStates = ['active', 'revoked', 'expired'] as const;

const filters = z.object({
  organization: reference(texts.filters.organization, 'organization').optional(),
  user: reference(texts.filters.user, 'user').optional(),
  addon: reference(texts.filters.addon, 'addon').optional(),
  unused_for: age(fields.unused_for).optional(),
  state: oneOf(texts.filters.state, grantStates).optional(),
  sort: sortedBy('issued_at'),
});

type Filters = z.infer<typeof filters>;

const filterOf = ({ organization, user, addon, state }: Filters): GrantFilter => ({
  ...(organization !== undefined && { about: { kind: 'organization', id: organization } }),
  userId: user,
  addonId: addon,
  // Grants that end for other reasons get an event of their own as soon as the reaction is done.
  ...(state && { state }),
});

/** Rows read for one answer. If few of them have the requested state, the answer has fewer grants, and a `next`. */
const mostLookedAt = 2_000;
const mostAtOnce = 250;

const list = async (services: Services, given: Filters, page: Page): Promise<Listed> => {
  const { limit, countTo } = page;
  const { unused_for: unusedFor, sort = '' } = given;
  const after = page.after === null ? null : (readCursor(page.after)?.id ?? null);
  const filter: GrantFilter = {
    ...filterOf(given),
    ...(unusedFor !== undefined && {
      unused: { since: Date.now() - unusedFor, countedSince: await services.readsCountedSince() },
    }),
  };
  const total = countTo === undefined ? null : services.readModels.countGrants(filter, countTo);
  const found: GrantItem[] = [];
  let next: string | null = null;
  let looked = 0;
  for await (const rows of pagesOf(services, filter, {
    after,
    limit: Math.min(limit + 1, mostAtOnce),
    isBack: sort.startsWith('-'),
  })) {
    const shown = await services.commands.showGrants(rows.map(({ grantId }) => grantId));
    const items = rows.map((row, index) => itemOf(shown[index] ?? null, row));
    found.push(...items.filter((item) => isAsked(item, given)));
    looked += rows.length;
    next = found.length > limit ? (found[limit - 1]?.grant_id ?? null) : null;
    if (next === null && looked >= mostLookedAt) next = rows.at(-1)?.grantId ?? null;
    if (next !== null) break;
  }
  return {
    items: found.slice(0, limit),
    next: next && cursorText({ sort, value: '', id: next }),
    ...(total && { total: await total }),
  };
};

const isAsked = (item: GrantItem, { organization, user, addon, state }: Filters): boolean =>
  (organization === undefined || item.organization_id === organization) &&
  (user === undefined || item.user_id === user) &&
  (addon === undefined || item.client_id === addon) &&
  (state === undefined || item.state === state);

async function* pagesOf(
  { readModels }: Services,
  filter: GrantFilter,
  {
    after,
    limit,
    isBack,
  }: { readonly after: string | null; readonly limit: number; readonly isBack: boolean },
): AsyncGenerator<readonly GrantRow[]> {
  for (let from: string | null | undefined = after; from !== undefined;) {
    const rows: readonly GrantRow[] = await readModels.grants(filter, { after: from, limit, isBack });
    if (rows.length > 0) yield rows;
    from = rows.length === limit ? rows.at(-1)?.grantId : undefined;
  }
}

/** If the events of a grant are gone, or cannot be read, the read models describe it. */
const itemOf = (shown: ShownGrant | null, row: GrantRow): GrantItem => {
  const state = row.hasEnded ? 'revoked' : row.lastTokenAt === null ? 'expired' : 'active';
  return present(shown ?? { ...row, state }, row);
};

const show = async ({ commands, readModels }: Services, grantId: string): Promise<GrantItem | null> => {
  const grant = await commands.showGrant(grantId);
  if (grant === null) return null;
  const [row] = await readModels.grants({ about: { kind: 'grant', id: grantId } }, { after: null, limit: 1 });
  return present(grant, row);
};

const time = () => z.string().meta({ format: 'date-time' });

const shape = z.object({
  grant_id: z.string(),
  client_id: shown(idOf('addon'), { isTitle: true }),
  organization_id: shown(idOf('organization'), { isTitle: true })
    .nullable()
    .describe('`null`: the user’s own records.'),
  user_id: shown(idOf('user', 'm'), { label: 'approver' }).describe(
    'Who allowed it, also for an organization.',
  ),
  scopes: shown(z.array(z.enum(scopes)).readonly(), { as: 'scopes', from: 'l' }),
  state: state(grantStates, { active: 'good' }),
  issued_at: shown(time(), { from: 'l' }),
  last_token_at: shown(time(), { from: 'l' }).nullable(),
  last_read_at: shown(time(), { from: 'm' }).nullable(),
});

export type GrantItem = z.infer<typeof shape>;

const present = (grant: ShownGrant, row: GrantRow | undefined): GrantItem => ({
  grant_id: grant.grantId,
  client_id: grant.addonId,
  organization_id: grant.organizationId,
  user_id: grant.userId,
  scopes: grant.scopes,
  state: grant.state,
  issued_at: timeOf(grant.issuedAt),
  last_token_at: timeOrNull(grant.lastTokenAt ?? row?.lastTokenAt ?? null),
  last_read_at: timeOrNull(row?.lastReadAt ?? null),
});

const revoke = task({
  name: 'revoke',
  ...texts.revoke,
  isFinal: true,
  input: z.object({}),
  run: async ({ commands }, grantId, _input, context) => {
    const { reason } = context;
    const outcome = await commands.revokeGrant({ grantId, ...(reason !== undefined && { reason }) }, context);
    if (!outcome.ok) return { ok: false, refusal: outcome.refusal, message: `there is no grant ${grantId}` };
    const { changed, position } = outcome.value;
    const text = changed ? 'Revoked: its code and tokens are refused.' : 'It was already revoked.';
    return { ok: true, text, position };
  },
});

/** Grants of add-ons: who approved them, their state, and their last use. */
export const grants = entity({
  name: 'grant',
  plural: 'grants',
  idKey: 'grant_id',
  shape,
  example: {
    grant_id: '01JD3FB4N5P7Q9R1S3T5V7W9X1',
    client_id: '01JD2C4Q6S8V0X2Z4B6D8F0H2K',
    organization_id: '01JD1A3C5E7G9J1M3P5R7T9W1Y',
    user_id: '01JD0Z9X7V5T3R1P9N7L5K3J1H',
    scopes: ['profiles:read'],
    state: 'active',
    issued_at: '2026-04-20T07:15:00.000Z',
    last_token_at: '2026-05-03T16:04:31.000Z',
    last_read_at: null,
  } satisfies GrantItem,
  filters,
  columns: texts.columns,
  show,
  list,
  isId: isUlid,
  find: () => Promise.resolve([]),
  stream: grantStream,
  tasks: [revoke],
});
