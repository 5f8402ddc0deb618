import { fenceRows } from '../../src/projections/fence/fence-statement.ts';
import type { PipelinedReader } from '../../src/projections/database/pipelined-reader.ts';

/** The part of a list page's statement (src/projections/list-page.ts) that reads the fence. */
const fencePart = `(select json_agg(row) from (${fenceRows}) as row)`;

/** The same statement without reading the fence. @throws if it has no such part: then there is nothing to compare */
export const withoutFence = (text: string): string => {
  if (!text.includes(fencePart))
    throw new Error('the statement of a list page reads the fence in another way now');
  return text.replace(fencePart, 'case when $1::text[] is null then null::json end');
};

/** A reader whose list pages do not read the fence; the fence's answer for the activation is faked. */
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
