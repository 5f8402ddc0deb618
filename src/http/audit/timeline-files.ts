import { presentEntry } from '../../audit/timeline/present-timeline.ts';
import type { TimelineEntry } from '../../audit/timeline/timeline.ts';

export const fileKinds = ['csv', 'ndjson'] as const;
export type FileKind = (typeof fileKinds)[number];

export const mediaTypes: Readonly<Record<FileKind, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** The entries of a page as a file, from the oldest, as the API has them. */
export const fileOf = (kind: FileKind, entries: readonly TimelineEntry[]): string =>
  kind === 'csv'
    ? csvOf(entries)
    : entries.map((entry) => `${JSON.stringify(presentEntry(entry))}\n`).join('');

type Presented = ReturnType<typeof presentEntry>;

const idsOf = ({ concerns }: Presented, kind: string): string =>
  concerns
    .filter((one) => one.kind === kind)
    .map(({ id }) => id)
    .join(' ');

const columns: Readonly<Record<string, (entry: Presented) => string | number | null>> = {
  time: ({ time }) => time,
  what: ({ what }) => what,
  why: ({ why }) => why,
  actor: ({ actor }) => actor && ('name' in actor ? actor.name : actor.kind),
  actor_id: ({ actor }) => actor && ('id' in actor ? actor.id : null),
  token_id: ({ token_id: tokenId }) => tokenId,
  addon: (entry) => idsOf(entry, 'addon'),
  user: (entry) => idsOf(entry, 'user'),
  grant: (entry) => idsOf(entry, 'grant'),
  type: ({ type }) => type,
  position: ({ position }) => position,
  stream: ({ stream }) => stream,
  revision: ({ revision }) => revision,
  event_id: ({ event_id: eventId }) => eventId,
};

/** RFC 4180, with a byte order mark, without which some programs read no UTF-8. */
const csvOf = (entries: readonly TimelineEntry[]): string => {
  const rows = entries
    .map(presentEntry)
    .map((entry) => Object.values(columns).map((column) => column(entry)));
  return `\uFEFF${[Object.keys(columns), ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`;
};

/** What a formula may begin with, in every width, after what is not seen. */
const computed =
  /^[\s\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r\n\u2212\ufe62-\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]/u;

/** A text that a spreadsheet would compute is led by an apostrophe: names come from anybody. Some programs also take its signs in other widths. */
export const cell = (value: string | number | null): string => {
  const text = String(value ?? '');
  return `"${computed.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`;
};
