import { fenceRows } from '../../src/projections/fence-statement.ts';
import type { PipelinedReader } from '../../src/projections/pipelined-reader.ts';

/** The part of a list page's statement (src/projections/list-page.ts) that reads the fence. */
const fencePart = `(select json_agg(row) from (${fenceRows}) as row)`;

/** The same statement without the look at the fence. @throws when it has no such part: then nothing could be compared */
export const withoutFence = (text: string): string => {
  if (!text.includes(fencePart))
    throw new Error('the statement of a list page reads the fence in another way now');
  return text.replace(fencePart, 'case when $1::text[] is null then null::json end');
};

/** A reader whose list pages are read without the fence; what the fence would have said of the activation is made up. */
export const fencelessReader = (reader: PipelinedReader): PipelinedReader => ({
  async query<R extends object>(
    { name, text }: { readonly name: string; readonly text: string },
    values: readonly unknown[],
  ) {
    const rows = await reader.query<R>({ name: `${name}-fenceless`, text: withoutFence(text) }, values);
    const subject = (values[0] as readonly string[]).find((each) => each.startsWith('activation:'));
    return rows.map((row) => Object.assign(row, { fence: [{ subject, revision: 1, epoch: 1, open: true }] }));
  },
  close: () => reader.close(),
});
