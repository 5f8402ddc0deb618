import type { Tone } from '../../../tasks/answer-fields.ts';
import type { OperatorStatus, WorkerHealth, GroupLag } from '../../../projections/operations/status.ts';
import { alert, badge, card, facts, head, moment, notice, table } from '../../pages/components.ts';
import { markup, type Html } from '../../pages/html.ts';
import type { Crumb } from '../../pages/layout.ts';
import { page, type PageView } from '../../pages/render.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import type { Words } from '../../../common/words.ts';
import type { Reader } from '../../words/reader.ts';
import { valueIn, withParts } from '../../tasks/in-words.ts';

export type StatusView = PageView & {
  readonly crumbs: readonly Crumb[];
  /** The address of this page, complete. */
  readonly here: string;
  readonly status: OperatorStatus;
};

const code = (text: string): Html => markup`<code>${text}</code>`;
const timeOf = (reader: Reader, at: number): Html => moment(reader, new Date(at).toISOString());

export const statusPage = page<StatusView>(
  ({ reader }) => reader.words.operator.service.title,
  ({ reader, status, here }) => {
    const t = reader.words.operator.service;
    const reported = withParts(t.reported(markName('instance'), markName('time')), {
      instance: code(status.instance),
      time: timeOf(reader, status.at),
    });
    return markup`${head(t.title, markup`<a class="button plain" href="${here}">${t.refresh}</a>`)}
${summaryHtml(reader, status)}
<p class="soft small">${reported}</p>
${status.database === null && alert(t.noDatabase)}
${lostKeys(reader, status)}${workersOf(reader, status)}${status.database !== null && parked(reader, status.database)}${lagOf(reader, status)}${status.database !== null && databaseOf(reader, status.database)}`;
  },
  () => ({ wide: true }),
);

export const summaryHtml = (reader: Reader, status: OperatorStatus, href: string | null = null): Html => {
  const t = reader.words.operator.service;
  const { isWell, text } = summaryOf(reader, status);
  const shown = markup`${text}${href !== null && markup` <a href="${href}">${t.title}</a>`}`;
  return isWell ? notice(shown) : alert(shown);
};

const lostKeys = ({ words: { operator } }: Reader, { lostKeys: lost }: OperatorStatus): Html | null => {
  if (!lost) return null;
  const command = code('grantbook keys restore');
  const text = withParts(operator.service.keysLost(lost, markName('command')), { command });
  return card(operator.service.keys, markup`<p class="wrong" role="alert">${text}</p>`, 'lost-keys');
};

const lagOf = (reader: Reader, { lag }: OperatorStatus): Html => {
  const t = reader.words.operator.service;
  return card(
    t.lag,
    markup`<p class="soft small">${t.lagHow}</p>
${lag.map((group) => lagChart(reader, group))}${lag.length === 0 && markup`<p class="soft">${t.noLag}</p>`}`,
    'lag',
  );
};

type Database = NonNullable<OperatorStatus['database']>;

const databaseOf = (reader: Reader, { groups, instances, rebuilds }: Database): Html => {
  const t = reader.words.operator.service;
  return markup`<section class="card">
${table(
  t.checkpoints,
  [
    { label: t.group, cell: ({ name }) => name },
    { label: t.checkpoint, cell: ({ position }) => code(position ?? t.noCheckpoint) },
    {
      label: t.leader,
      from: 'm',
      cell: ({ leader }) => (leader === null ? t.noLeader : code(leader)),
    },
  ],
  groups,
)}
</section>
<section class="card">
${table(
  t.instances,
  [
    { label: t.instance, cell: ({ name }) => code(name) },
    { label: t.since, cell: ({ since }) => timeOf(reader, since) },
    { label: t.leads, from: 'm', cell: ({ leads }) => leads.join(', ') || t.leadsNothing },
  ],
  instances,
)}
</section>
${card(
  t.rebuilds,
  rebuilds.length === 0
    ? markup`<p>${t.noRebuild}</p>`
    : facts(
        reader,
        rebuilds.map((one) => ({
          label: t.version(one.name, one.version),
          value: [
            valueIn(reader.words, one.state),
            t.events(one.events),
            one.eventsPerSecond === null ? '' : t.speed(one.eventsPerSecond),
            one.state === 'building' && one.secondsLeft !== null ? t.left(one.secondsLeft) : '',
          ]
            .filter((part) => part !== '')
            .join(', '),
        })),
      ),
  'rebuilds',
)}`;
};

const healthKinds: Readonly<Record<WorkerHealth, Tone>> = { ok: 'good', failing: 'stop', off: 'off' };

const workersOf = ({ words }: Reader, { workers }: OperatorStatus): Html => {
  const t = words.operator.service;
  return markup`<section class="card">
${table(
  t.workers,
  [
    { label: t.worker, cell: ({ name }) => name },
    { label: t.state, from: 'm', cell: ({ state }) => valueIn(words, state) },
    { label: t.health, cell: ({ health }) => badge(healthKinds[health], t.healths[health]) },
  ],
  workers,
)}
</section>
`;
};

const parked = (reader: Reader, { parked: { all, keys } }: Database): Html => {
  const t = reader.words.operator.service;
  const commands = {
    list: code('grantbook parked list'),
    retry: code('retry'),
    skip: code('skip'),
  };
  const [list, retry, skip] = ['list', 'retry', 'skip'].map(markName) as [string, string, string];
  return card(
    t.parked,
    all === 0
      ? markup`<p>${t.nothingParked}</p>`
      : markup`<p>${withParts(t.parkedKeys(all, list, retry, skip), commands)}</p>
${table(
  t.oldest,
  [
    { label: t.key, cell: ({ first }) => code(first.stream) },
    { label: t.readModel, from: 'm', cell: ({ first }) => first.projection },
    { label: t.since, from: 'l', cell: ({ first }) => timeOf(reader, first.parkedAt) },
    { label: t.why, cell: ({ first }) => first.error ?? t.waits },
    { label: t.eventCount, from: 'm', isNumber: true, cell: ({ events }) => events },
  ],
  keys,
)}`,
    'parked',
  );
};

/** SVG attributes only, because pages must not contain styles. */
const chartWidth = 600;
const chartHeight = 60;
const barWidth = 8;
const pitch = 10;

/** One bar for each sample, scaled to the highest lag. */
const lagChart = ({ words }: Reader, { name, most, samples }: GroupLag): Html => {
  const t = words.operator.service;
  const highest = Math.max(1, ...samples.map(({ behind }) => behind ?? 0));
  const first = chartWidth - samples.length * pitch;
  const summary = lagWords(words, samples, most);
  const bars = samples.map(({ behind }, index) => {
    const height = behind === null ? chartHeight : Math.round((behind / highest) * (chartHeight - 2)) + 2;
    const place = markup`x="${first + index * pitch}" y="${chartHeight - height}" width="${barWidth}"
height="${height}"`;
    return behind === null
      ? markup`<rect ${place} fill="none" stroke="currentColor"/>`
      : markup`<rect ${place} fill="currentColor"/>`;
  });
  return markup`<h3>${name}</h3>
<p>${summary}</p>
<svg class="lag" viewBox="0 0 ${chartWidth} ${chartHeight}" role="img" aria-label="${t.lagOf(name, summary)}" focusable="false">
${bars}
<line x1="0" x2="${chartWidth}" y1="${chartHeight - 0.5}" y2="${chartHeight - 0.5}" stroke="currentColor"/>
</svg> `;
};

const lagWords = (
  { operator: { service: t } }: Words,
  samples: GroupLag['samples'],
  mostCounted: number,
): string => {
  const counted = (events: number) => [Math.min(events, mostCounted), events >= mostCounted] as const;
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (!first || !last) return t.noData;
  const known = samples.flatMap(({ behind }) => (behind === null ? [] : [behind]));
  const now = last.behind === null ? t.behindUnknown : t.behindNow(...counted(last.behind));
  const seconds = Math.round((last.at - first.at) / 1000);
  return known.length === 0 ? now : `${now}; ${t.behindAtMost(...counted(Math.max(...known)), seconds)}`;
};

type StatusSummary = { readonly isWell: boolean; readonly text: string };

/** The status in one sentence: what needs attention, or that nothing does. */
const summaryOf = (
  { words }: Reader,
  { database, lostKeys: lost, workers }: OperatorStatus,
): StatusSummary => {
  const { service: t } = words.operator;
  const failing = workers.filter(({ health }) => health === 'failing').map(({ name }) => name);
  const troubles = [
    ...(database === null ? [t.troubles.database] : []),
    ...(lost ? [t.troubles.keys(lost)] : []),
    ...(failing.length > 0 ? [t.troubles.workers(failing.join(', '))] : []),
    ...(database !== null && database.parked.all > 0 ? [t.troubles.parked(database.parked.all)] : []),
    ...(database !== null && database.failingEndpoints > 0
      ? [t.troubles.pushes(database.failingEndpoints)]
      : []),
  ];
  return troubles.length > 0
    ? { isWell: false, text: t.attention(troubles.join('; ')) }
    : { isWell: true, text: t.works(database?.instances.length ?? 0) };
};
