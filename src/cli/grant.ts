import type { Command } from 'commander';
import { StreamUnreadable } from '../eventstore/event-store.ts';
import type { GrantState, ShownGrant } from '../commands/show-grant.ts';
import type { GrantFilter, GrantRow } from '../projections/read-models.ts';
import { aCount } from './audit/values.ts';
import { answer, refused, sheet, table, type Answer } from './answer.ts';
import { changing, leaf, type AddCommands } from './define.ts';
import { oneOf, parseAge, parseId } from './option-values.ts';
import { withService, type CliService } from './service.ts';

const states = ['active', 'revoked', 'expired'] as const;

type ListOptions = {
  readonly organization?: string;
  readonly user?: string;
  readonly addon?: string;
  readonly unusedFor?: number;
  readonly state?: GrantState;
  readonly limit: number;
  readonly after?: string;
};

/** Grants of add-ons: who approved them, their state, and their last use. */
export const addGrantCommands: AddCommands = (program, io, run) => {
  const grant = program.command('grant').description('list, show and revoke grants of add-ons');
  const listed = leaf(grant, 'list', 'list grants, in the order in which they were issued');
  listed
    .option('--organization <organization>', "those of this organization's records", parseId)
    .option('--user <id>', 'grants that this user approved, including those for organizations', parseId)
    .option('--addon <id>', 'those of this add-on', parseId)
    .option('--unused-for <time>', 'grants that were not used for this long, such as 90d or 12h', parseAge)
    .option('--state <state>', `grants in this state: ${states.join(', ')}`, oneOf(states))
    .option('--limit <n>', 'maximum number, up to 1000', aCount(1000), 50)
    .option('--after <cursor>', 'next page: the `next` of the previous output', parseId)
    .action((options: ListOptions) => {
      const about = aboutIn(listed, options);
      return run(() => withService(io, (service) => list(service, about, options)));
    });
  const one = (command: Command) =>
    command.argument('<id>', 'grant_id, as printed by grant list and audit timeline', parseId);
  one(leaf(grant, 'show', 'show a grant as it is now')).action((id: string) =>
    run(() => withService(io, (service) => show(service, id))),
  );
  one(changing(grant, 'revoke', 'revoke a grant with its code and its tokens, at once')).action(
    (id: string, options: { readonly reason?: string }) =>
      run(() => withService(io, (service) => revoke(service, id, options))),
  );
};

const aboutIn = (command: Command, options: ListOptions): GrantFilter['about'] => {
  const [about, ...others] = (['organization', 'user', 'addon'] as const).flatMap((kind) => {
    const id = options[kind];
    return id === undefined ? [] : [{ kind, id }];
  });
  if (others.length > 0) command.error('error: only one of --organization, --user and --addon can be given');
  return about;
};

/** Rows read for one answer. If few of them have the requested state, the answer has fewer grants, and a `next`. */
const mostLookedAt = 2_000;

const list = async (
  service: CliService,
  about: GrantFilter['about'],
  { unusedFor, state, limit, after }: ListOptions,
): Promise<Answer> => {
  await service.settle();
  const filter: GrantFilter = {
    ...(about && { about }),
    // Grants that end for other reasons get an event of their own as soon as the reaction is done.
    ...(state && { ended: state === 'revoked' }),
    ...(unusedFor !== undefined && {
      unused: { since: Date.now() - unusedFor, countedSince: await service.audit.reads.countedSince() },
    }),
  };
  const found: Item[] = [];
  let next: string | null = null;
  let looked = 0;
  for await (const rows of pagesOf(service, filter, {
    after: after ?? null,
    limit: Math.min(limit + 1, 100),
  })) {
    const items = await Promise.all(rows.map((row) => itemOf(service, row)));
    found.push(...items.filter((item) => state === undefined || item.state === state));
    looked += rows.length;
    next = found.length > limit ? (found[limit - 1]?.grant_id ?? null) : null;
    if (next === null && looked >= mostLookedAt) next = rows.at(-1)?.grantId ?? null;
    if (next !== null) break;
  }
  const items = found.slice(0, limit);
  return answer({ items, next }, textOf(items, next));
};

async function* pagesOf(
  { readModels }: CliService,
  filter: GrantFilter,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): AsyncGenerator<readonly GrantRow[]> {
  for (let from: string | null | undefined = after; from !== undefined;) {
    const rows: readonly GrantRow[] = await readModels.grants(filter, { after: from, limit });
    if (rows.length > 0) yield rows;
    from = rows.length === limit ? rows.at(-1)?.grantId : undefined;
  }
}

const textOf = (items: readonly Item[], next: string | null): string =>
  [
    items.length === 0
      ? 'No grants match.'
      : table(
          [
            'grant_id',
            'client_id',
            'organization',
            'allowed by',
            'scopes',
            'state',
            'issued',
            'last token',
            'last read',
          ],
          items.map((item) => [
            item.grant_id,
            item.client_id,
            item.organization_id ?? "the user's own",
            item.user_id,
            item.scopes.join(' '),
            item.state,
            item.issued_at,
            item.last_token_at ?? 'none',
            item.last_read_at ?? 'none',
          ]),
        ),
    ...(next === null ? [] : [`More: --after ${next}`]),
  ].join('\n');

const show = async (service: CliService, id: string): Promise<Answer> => {
  const grant = await service.commands.showGrant(id);
  if (grant === null) return refused('grant-unknown', `there is no grant ${id}`);
  const [row] = await service.readModels.grants({ about: { kind: 'grant', id } }, { after: null, limit: 1 });
  const item = present(grant, row);
  return answer(item, sheet(linesOf(item)));
};

const revoke = async (
  service: CliService,
  id: string,
  reason: { readonly reason?: string },
): Promise<Answer> => {
  const outcome = await service.commands.revokeGrant({ grantId: id, ...reason });
  if (!outcome.ok) return refused(outcome.refusal, `there is no grant ${id}`);
  const { changed, position } = outcome.value;
  if (position !== null) await service.settle(position);
  const shown = await show(service, id);
  const words = changed ? 'Revoked: its code and tokens are refused.' : 'It was already revoked.';
  return { ...shown, text: `${words}\n${shown.text}` };
};

/** If the events of a grant are gone, or cannot be read, the read models describe it. */
const itemOf = async ({ commands }: CliService, row: GrantRow): Promise<Item> => {
  const shown = await commands.showGrant(row.grantId).catch((error: unknown) => {
    if (error instanceof StreamUnreadable) return null;
    throw error;
  });
  const state = row.hasEnded ? 'revoked' : row.lastTokenAt === null ? 'expired' : 'active';
  return present(shown ?? { ...row, state }, row);
};

type Item = ReturnType<typeof present>;

const present = (grant: ShownGrant, row: GrantRow | undefined) => ({
  grant_id: grant.grantId,
  client_id: grant.addonId,
  organization_id: grant.organizationId,
  user_id: grant.userId,
  scopes: grant.scopes,
  state: grant.state,
  issued_at: timeOf(grant.issuedAt),
  last_token_at: timeOf(grant.lastTokenAt ?? row?.lastTokenAt ?? null),
  last_read_at: timeOf(row?.lastReadAt ?? null),
});

function timeOf(instant: number): string;
function timeOf(instant: number | null): string | null;
function timeOf(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

const linesOf = (item: Item): Readonly<Record<string, string>> => ({
  grant_id: item.grant_id,
  client_id: item.client_id,
  organization: item.organization_id ?? "none: the user's own records",
  'allowed by': item.user_id,
  scopes: item.scopes.join(' '),
  state: item.state,
  issued: item.issued_at,
  'last token': item.last_token_at ?? 'none',
  'last read': item.last_read_at ?? 'none',
});
