import { z } from 'zod';
import { timeOf } from '../../common/iso-time.ts';
import { english } from '../../common/words.ts';
import { instant, shown, ulid } from '../answer-fields.ts';
import type { ReadModels } from '../../projections/read-models.ts';

export const refusalShape = z.object({
  refusal_id: ulid(),
  at: instant(),
  reason: shown(z.string(), { as: 'reason' }).describe('As in the service’s log and metrics.'),
  endpoint: z.string().describe('As in the path: `token`, `authorize`, a list; `signals`.'),
  network: z.string().nullable().describe('Where it came from, shortened: /24 of IPv4, /48 of IPv6.'),
});

export const refusalExample: z.infer<typeof refusalShape> = {
  refusal_id: '01JD3A5C7E9G1J3M5P7R9T1V3X',
  at: '2026-05-03T16:04:31.000Z',
  reason: 'client-secret-wrong',
  endpoint: 'token',
  network: '198.51.100.0/24',
};

/** Why requests were refused, as far as instances have stored it: of the add-on, and of others who use its id. */
export const refusalsOf = async (
  { readModels }: { readonly readModels: Pick<ReadModels, 'refusals'> },
  addonId: string,
  { after, limit }: Parameters<ReadModels['refusals']>[1],
) => {
  const found = await readModels.refusals(addonId, { after, limit: limit + 1 });
  const items = found.slice(0, limit).map(({ refusalId, at, reason, endpoint, network }) => ({
    refusal_id: refusalId,
    at: timeOf(at),
    reason,
    endpoint,
    network,
  }));
  return { items, next: found.length > limit ? (items.at(-1)?.refusal_id ?? null) : null };
};

export const refusals = {
  name: 'refusals',
  summary: 'List the requests that were refused in the last seven days, the newest first',
  item: refusalShape,
  example: refusalExample,
  columns: english.tasks.addon.parts.refusals,
  list: refusalsOf,
};
