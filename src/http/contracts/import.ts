import { z } from 'zod';
import { position } from '../../tasks/fields.ts';

const count = () => z.int().min(0);

export const imported = z
  .object({
    lines: count(),
    added: count(),
    changed: count(),
    removed: count(),
    unchanged: count(),
    outdated: count().describe('Of `unchanged`: a newer version is stored.'),
    refused: count().describe('Lines with a problem; nothing of them is stored.'),
    errors: z
      .array(z.object({ line: z.int(), field: z.string().nullable(), message: z.string() }))
      .readonly(),
    errors_left_out: count(),
    position: z.string().nullable().describe('Of the newest event; `null`: nothing changed.'),
  })
  .describe('What became of the lines.');

export type Imported = z.infer<typeof imported>;

export const importQuery = z.object({
  first_line: z.int().min(1).default(1).meta({
    description: 'The number of the first line, for `errors`.',
    'x-allowed': 'a whole number from 1',
  }),
});

export const shownQuery = z.object({
  position: position({ title: 'Position', description: 'The `position` of an answer.' }),
});

export const shown = z
  .object({ shown: z.boolean() })
  .describe('Whether the lists show everything up to the position; the answer waits for some seconds.');

export type Shown = z.infer<typeof shown>;
