import { z } from 'zod';
import type { Member } from '../../commands/publishers/own-addon.ts';
import { changeShape } from '../addons/addon-changes.ts';
import { refusalShape } from '../addons/refusals.ts';
import { instant, shown, ulid } from '../answer-fields.ts';

/** What a member's request has in addition: no other has own add-ons. */
export type Own = {
  readonly member: Member;
  /** Whether changes need no approval. */
  readonly isFree: boolean;
  readonly usage: (addonId: string, days: number) => Promise<AddonUsage>;
};

const count = z.int().min(0);
const next = z.string().nullable().describe('The `after` of the next page; `null` at the end.');

// Nothing in the answers is about a person: publishers learn nothing of users.

export const activeOrganizations = z.object({
  items: z
    .array(
      z.object({ organization_id: shown(ulid(), { from: 'm' }), name: z.string(), activated_at: instant() }),
    )
    .readonly(),
  next,
  shown: count.describe('How many have the add-on active and show their name.'),
  hidden: count.describe('How many have it active and do not.'),
});

const secret = z.object({ secret_id: shown(ulid(), { from: 'm' }), added_at: instant() });
export const addonSecrets = z.object({ items: z.array(secret).readonly() });
export const addedSecret = z.object({
  client_id: ulid(),
  secret_id: ulid(),
  client_secret: z.string().describe('Shown once. The other secrets stay valid.'),
});

export const addonRefusals = z.object({ items: z.array(refusalShape).readonly(), next });

export const addonChanges = z.object({ items: z.array(changeShape).readonly() });

const day = shown(z.string(), { as: 'day' }).meta({ format: 'date', examples: ['2026-05-01'] });
const uses = shown(z.array(z.object({ name: z.string(), count })).readonly(), {
  as: 'counts',
  from: 'm',
});

export const addonUsage = z.object({
  counted_since: instant().describe('Nothing is known of before.'),
  days: z
    .array(
      z.object({
        day,
        tokens: shown(z.int().min(0), { from: 'm' }).describe('How many times tokens were issued.'),
        requests: uses.describe('Requests that were answered with a page of a list, by list.'),
        refusals: shown(
          z
            .array(
              z.object({
                endpoint: z.string().describe('As in the path: `token`, `authorize`, a list.'),
                reason: z.string().describe('As in the service’s log and metrics.'),
                count,
                last_at: instant(),
                last_request_id: z.string().describe('Of the newest one, as the service’s log has it.'),
                explanation: z
                  .string()
                  .nullable()
                  .meta({ format: 'uri', description: 'What it means, where there is a page about it.' }),
              }),
            )
            .readonly(),
          { as: 'refusals' },
        ),
        limits: uses.describe('How often each rate limit was reached.'),
      }),
    )
    .readonly()
    .describe('The newest first, in UTC; days without any use are left out.'),
});

export type AddonUsage = z.infer<typeof addonUsage>;
