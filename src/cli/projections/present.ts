import type { Dropped } from '../../projections/rebuild/drop.ts';
import { timeOrNull } from '../../common/iso-time.ts';
import type { RebuildProgress } from '../../projections/rebuild/progress-meter.ts';
import type { Rebuilt } from '../../projections/rebuild/rebuild.ts';
import type { OtherVersion, ProjectionStatus } from '../../projections/rebuild/status.ts';
import type { Swapped } from '../../projections/rebuild/swap.ts';
import { answer, number, type Answer } from '../base/answer.ts';
import { listText } from '../base/list.ts';
import { paceText, type Progress } from '../base/progress.ts';
import { positionText } from '../../audit/timeline/position-text.ts';

const placeOf = (position: ProjectionStatus['live']['position']): string | null =>
  position && positionText(position);

const presentVersion = (version: OtherVersion) => ({
  version: version.version,
  state: version.state,
  schema: version.schema,
  position: placeOf(version.position),
  events: version.events,
  events_per_second: version.eventsPerSecond,
  seconds_left: version.state === 'building' ? version.secondsLeft : null,
  started_at: timeOrNull(version.startedAt),
  built_at: timeOrNull(version.builtAt),
  verified_at: timeOrNull(version.verifiedAt),
  verified_equal: version.verifiedEqual,
});

export const statusColumns = ['read_model', 'version', 'state', 'position', 'built'];

export const presentStatus = (
  projections: readonly ProjectionStatus[],
  chosen?: readonly string[],
): Answer => {
  const items = projections.flatMap(({ name, live, others, busy }) => [
    {
      read_model: name,
      version: live.version,
      state: live.complete ? 'live' : 'live, incomplete',
      position: placeOf(live.position),
      built: '-',
    },
    ...others.map((other) => ({
      read_model: name,
      version: other.version,
      state: busy && other.state === 'building' ? 'building now' : other.state,
      position: placeOf(other.position),
      built: wordsOf(other),
    })),
  ]);
  return answer(
    {
      projections: projections.map(({ name, live, others, busy }) => ({
        name,
        version: live.version,
        position: placeOf(live.position),
        complete: live.complete,
        busy,
        others: others.map(presentVersion),
      })),
    },
    listText({ columns: statusColumns, items, none: 'There are no read models.' }, chosen),
  );
};

const wordsOf = ({ state, events, verifiedAt, verifiedEqual }: OtherVersion): string => {
  if (state === 'building') return `${number.format(events)} events so far`;
  if (verifiedAt === null) return 'not verified';
  return verifiedEqual ? 'verified' : 'found to differ';
};

/** How many events of the log the rebuild read, through a filter on the server. */
const ofLog = ({ logEvents }: Rebuilt): string =>
  logEvents === null ? '' : ` read of ${number.format(logEvents)} in the log`;

export const presentProgress = (progress: RebuildProgress): Progress => {
  const { events, eventsPerSecond, share, secondsLeft } = progress;
  const pace = paceText(eventsPerSecond, share >= 1 ? null : secondsLeft);
  return { share, text: `${number.format(events)} events, ${pace}${share >= 1 ? ', making indexes' : ''}` };
};

export const presentRebuilt = (done: Rebuilt): Answer =>
  answer(
    {
      name: done.name,
      version: done.version,
      schema: done.schema,
      events: done.events,
      log_events: done.logEvents,
      seconds: Math.round(done.seconds * 1000) / 1000,
      events_per_second: done.eventsPerSecond,
      parked_keys: done.parkedKeys,
      position: positionText(done.position),
    },
    `Built version ${done.version} of ${done.name} in ${done.schema}: ${number.format(done.events)} events${ofLog(done)}, ` +
      `in ${done.seconds.toFixed(1)} s (${number.format(done.eventsPerSecond)}/s).\n` +
      (done.parkedKeys === 0
        ? ''
        : `${number.format(done.parkedKeys)} keys have events that could not be applied: they are parked in this version, too.\n`) +
      `Next: grantbook projections verify ${done.name}`,
  );

export const presentSwapped = (done: Swapped): Answer => {
  const { name, version, position, previousVersion, events, merged } = done;
  return answer(
    {
      name,
      version,
      previous_version: previousVersion,
      position: positionText(position),
      events,
      merged_rows: merged,
    },
    previousVersion === null
      ? `Merged version ${version} of ${name}: ${number.format(merged ?? 0)} rows were missing or behind. No count was decreased.`
      : `Version ${version} of ${name} is live now. Version ${previousVersion} is kept: remove it with ` +
          `grantbook projections drop ${name} --version ${previousVersion}`,
  );
};

export const presentDropped = ({ name, version }: Dropped): Answer =>
  answer({ name, version, dropped: true }, `Dropped version ${version} of ${name}.`);
