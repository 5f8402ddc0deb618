import type { OperatorStatus, WorkerHealth, GroupLag } from '../../../projections/operations/status.ts';
import {
  alert,
  badge,
  card,
  facts,
  head,
  moment,
  notice,
  table,
  type BadgeKind,
} from '../../pages/components.ts';
import { markup, type Html } from '../../pages/html.ts';
import type { Crumb } from '../../pages/layout.ts';
import { page, type PageView } from '../../pages/render.ts';
import { english, words } from '../../pages/words.ts';

export type StatusView = PageView & {
  readonly crumbs: readonly Crumb[];
  /** The address of this page, complete. */
  readonly here: string;
  readonly status: OperatorStatus;
};

const timeOf = (at: number): Html => moment(english(), new Date(at).toISOString());

export const statusPage = page<StatusView>(
  'Service status',
  ({ status, here }) =>
    markup`${head('Service status', markup`<a class="button plain" href="${here}">Refresh</a>`)}
${summaryHtml(status)}
<p class="soft small">Reported by <code>${status.instance}</code> on ${timeOf(status.at)}.</p>
${status.database === null && alert('The database does not answer, so some sections are missing below.')}
${lostKeys(status)}${workersOf(status)}${status.database !== null && parked(status.database)}${lagOf(status)}${status.database !== null && databaseOf(status.database)}`,
  () => ({ wide: true }),
);

/** The status in one sentence. */
export const summaryHtml = (status: OperatorStatus, href: string | null = null): Html => {
  const { isWell, text } = summaryOf(status);
  const shown = markup`${text}${href !== null && markup` <a href="${href}">Service status</a>`}`;
  return isWell ? notice(shown) : alert(shown);
};

const lostKeys = ({ lostKeys: lost }: OperatorStatus): Html | null =>
  lost
    ? card(
        'Keys of persons',
        markup`<p class="wrong" role="alert">
key lost: the keys of ${words.countOf(lost, 'person')} are missing, but were not deleted. Stop all
instances and restore the keys with <code>grantbook keys restore</code>.
</p>`,
        'lost-keys',
      )
    : null;

const lagOf = ({ lag }: OperatorStatus): Html =>
  card(
    'Lag of the read models',
    markup`<p class="soft small">
One bar for every ten seconds, newest on the right, scaled to the highest lag. Outlined bar: no data.
</p>
${lag.map(lagChart)}${lag.length === 0 && markup`<p class="soft">This instance measures no lag.</p>`}`,
    'lag',
  );

type Database = NonNullable<OperatorStatus['database']>;

const databaseOf = ({ groups, instances, rebuilds }: Database): Html =>
  markup`<section class="card">
${table(
  'Checkpoints and leaders',
  [
    { label: 'Group', cell: ({ name }) => name },
    { label: 'Checkpoint', cell: ({ position }) => markup`<code>${position ?? 'nothing yet'}</code>` },
    {
      label: 'Leader',
      from: 'm',
      cell: ({ leader }) => (leader === null ? 'none' : markup`<code>${leader}</code>`),
    },
  ],
  groups,
)}
</section>
<section class="card">
${table(
  'Running instances',
  [
    { label: 'Instance', cell: ({ name }) => markup`<code>${name}</code>` },
    { label: 'Since', cell: ({ since }) => timeOf(since) },
    { label: 'Leads', from: 'm', cell: ({ leads }) => leads.join(', ') || 'nothing' },
  ],
  instances,
)}
</section>
${card(
  'Rebuilds',
  rebuilds.length === 0
    ? markup`<p>None is being built.</p>`
    : facts(
        english(),
        rebuilds.map((one) => ({
          label: `${one.name}, version ${one.version}`,
          value: [
            one.state,
            words.countOf(one.events, 'event'),
            one.eventsPerSecond === null ? '' : `${one.eventsPerSecond} events/s`,
            one.state === 'building' && one.secondsLeft !== null
              ? `${words.countOf(one.secondsLeft, 'second')} left`
              : '',
          ]
            .filter((part) => part !== '')
            .join(', '),
        })),
      ),
)}`;

const healthWords: Readonly<Record<WorkerHealth, readonly [BadgeKind, string]>> = {
  ok: ['good', 'OK'],
  failing: ['stop', 'Failing'],
  off: ['off', 'Off'],
};

const workersOf = ({ workers }: OperatorStatus): Html =>
  markup`<section class="card">
${table(
  'Workers of this instance',
  [
    { label: 'Worker', cell: ({ name }) => name },
    { label: 'State', from: 'm', cell: ({ state }) => state },
    { label: 'Health', cell: ({ health }) => badge(...healthWords[health]) },
  ],
  workers,
)}
</section>
`;

const parked = ({ parked: { all, keys } }: Database): Html =>
  card(
    'Parked keys',
    all === 0
      ? markup`<p>Nothing is parked.</p>`
      : markup`<p>
${words.countOf(all, 'key')} parked. Resolve with <code>grantbook parked list</code>,
<code>retry</code> and <code>skip</code>.
</p>
${table(
  'The oldest of them',
  [
    { label: 'Key', cell: ({ first }) => markup`<code>${first.stream}</code>` },
    { label: 'Read model', from: 'm', cell: ({ first }) => first.projection },
    { label: 'Since', from: 'l', cell: ({ first }) => timeOf(first.parkedAt) },
    { label: 'Why', cell: ({ first }) => first.error ?? 'waits' },
    { label: 'Events', from: 'm', isNumber: true, cell: ({ events }) => events },
  ],
  keys,
)}`,
    'parked',
  );

/** SVG attributes only, because pages must not contain styles. */
const chartWidth = 600;
const chartHeight = 60;
const barWidth = 8;
const pitch = 10;

/** One bar for each sample, scaled to the highest lag. */
const lagChart = ({ name, most, samples }: GroupLag): Html => {
  const highest = Math.max(1, ...samples.map(({ behind }) => behind ?? 0));
  const first = chartWidth - samples.length * pitch;
  const summary = lagWords(samples, most);
  const bars = samples.map(({ behind }, index) => {
    const height = behind === null ? chartHeight : Math.round((behind / highest) * (chartHeight - 2)) + 2;
    const place = markup`x="${first + index * pitch}" y="${chartHeight - height}" width="${barWidth}"
height="${height}"`;
    return behind === null
      ? markup`<rect ${place} fill="none" stroke="currentColor">`
      : markup`<rect ${place} fill="currentColor">`;
  });
  return markup`<h3>${name}</h3>
<p>${summary}</p>
<svg class="lag" viewBox="0 0 ${chartWidth} ${chartHeight}" role="img" aria-label="Lag of ${name}: ${summary}" focusable="false">
${bars}
<line x1="0" x2="${chartWidth}" y1="${chartHeight - 0.5}" y2="${chartHeight - 0.5}" stroke="currentColor"/>
</svg> `;
};

const lagWords = (samples: GroupLag['samples'], mostCounted: number): string => {
  const countText = (events: number) =>
    events >= mostCounted
      ? `${mostCounted.toLocaleString('en-GB')} events or more`
      : `${events} ${events === 1 ? 'event' : 'events'}`;
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (!first || !last) return 'no data yet';
  const known = samples.flatMap(({ behind }) => (behind === null ? [] : [behind]));
  const now = last.behind === null ? 'unknown now' : `${countText(last.behind)} behind now`;
  const seconds = Math.round((last.at - first.at) / 1000);
  const most =
    known.length === 0 ? '' : `; ${countText(Math.max(...known))} at most in the last ${seconds} seconds`;
  return `${now}${most}`;
};

type StatusSummary = { readonly isWell: boolean; readonly text: string };

/** The status in one sentence: what needs attention, or that nothing does. */
const summaryOf = ({ database, lostKeys, workers }: OperatorStatus): StatusSummary => {
  const failing = workers.filter(({ health }) => health === 'failing').map(({ name }) => name);
  const troubles = [
    ...(database === null ? ['the database does not answer'] : []),
    ...(lostKeys ? [`the keys of ${words.countOf(lostKeys, 'person')} are missing`] : []),
    ...(failing.length > 0 ? [`failing on this instance: ${failing.join(', ')}`] : []),
    ...(database !== null && database.parked.all > 0
      ? [`${words.countOf(database.parked.all, 'key')} parked`]
      : []),
    ...(database !== null && database.failingEndpoints > 0
      ? [`${words.countOf(database.failingEndpoints, 'add-on')} cannot be notified by push`]
      : []),
  ];
  if (troubles.length > 0) return { isWell: false, text: `Needs attention: ${troubles.join('; ')}.` };
  const running = words.countOf(database?.instances.length ?? 0, 'instance');
  return { isWell: true, text: `Everything works: ${running} running, and nothing is parked.` };
};
