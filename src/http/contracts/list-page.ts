import { z } from 'zod';
import { address } from './fields.ts';

/** Parameters of a list. Strict: all others are refused by name (LI-06). */
export const pageQuery = z.strictObject({
  page: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(1)
    .describe('Which page. One past the last is answered with no items.'),
  per_page: z.int().min(1).max(100).default(25).describe('The maximum number of items on a page.'),
  cursor: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      'From a link, unmodified: where that page begins. With another `page` or `per_page`, or for another list, it is ignored; a forged one is refused.',
    ),
  sync_token: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      'From a page of this list, unmodified: instead of the list, what was added, changed or removed since then, the oldest change first.',
    ),
});

export const removedItem = z
  .object({
    id: z.string(),
    organization_id: z
      .string()
      .optional()
      .describe('Only in a user’s own list, where ids of several organizations may meet.'),
    deleted: z.literal(true),
    updated_at: z.iso.datetime().describe('When it left the list.'),
  })
  .describe('Only among changes: a record that is no longer in the list.');

export const pagination = z
  .object({
    page: z.int().min(1).describe('The page that was asked for.'),
    total_items: z.int().min(0).describe('How many items all pages hold together.'),
    pages: z.int().min(0).describe('How many pages there are: 0 for an empty list.'),
    per_page: z.int().min(1).max(100).describe('The maximum number of items on a page.'),
  })
  .describe('Where in the list this page is.');

export const link = z
  .object({
    rel: z.enum(['prev', 'next']),
    type: z.literal('GET'),
    href: address().describe('Follow it unmodified.'),
  })
  .describe('A neighbouring page. `prev` and `next` are there only when the page exists.');

const frame = {
  _pagination: pagination,
  _links: z.array(link).max(2),
  sync_token: z
    .string()
    .describe(
      'Send it later as `sync_token`, to get what has changed since the first page of this walk, or since this page of changes. Valid for 30 days, unless the service is configured otherwise.',
    ),
};
const framed = z.object(frame);

export const pageOf = (item: z.ZodType) =>
  z.object({ items: z.array(z.union([item, removedItem])).max(100), ...frame });

export type Link = z.infer<typeof link>;
export type ListPage<Item> = { items: Item[] } & z.infer<typeof framed>;
