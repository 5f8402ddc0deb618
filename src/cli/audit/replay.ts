import type { Parameters } from '../../administration/audit-questions.ts';
import { categories, type Until } from '../../audit/replay.ts';
import { parseTime } from '../../audit/timeline/parse-time.ts';
import { parsePosition } from '../../audit/timeline/position-text.ts';
import { actorOf, actorWords } from '../../audit/timeline/words.ts';
import { isStreamName } from '../../eventstore/codec/validate.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { allowing, wholeFrom1To } from '../base/option-values.ts';
import type { Replayed } from './ask/replay.ts';
import { askAudit } from './ask-audit.ts';
import { aRevision, aTimeUntil } from './values.ts';

type Options = { readonly until?: Named; readonly from?: bigint; readonly limit: number };
type Named = { readonly until: Until; readonly text: string };

export const addReplayCommand: AddCommands = (audit, io, run) => {
  const command = leaf(audit, 'replay', 'replay a stream, and show the state after each event');
  command
    .argument('<stream>', 'name of the stream, such as grant-01JD…, as shown in timelines', aStream)
    .option('--until <place>', 'the last event: a revision, a position or a past time', anUntil)
    .option('--from <revision>', 'show only from this revision on', aRevision)
    .option('--limit <n>', 'maximum number of events, up to 1000', wholeFrom1To(1000), 100)
    .action((stream: string, options: Options) => {
      const end = options.until?.until;
      if (end && 'revision' in end && options.from !== undefined && options.from > end.revision)
        return command.error('error: --from is after --until');
      return run(() => askAudit(io, 'replay', paramsOf(stream, options), textOf));
    });
};

const aStream = allowing(
  `is a stream of one of these kinds: ${categories.join(', ')}; such as grant-01JD…`,
  (value) => (isStreamName(value) ? value : null),
);

const anUntil = allowing(
  'is a revision such as 3, a position such as 4711/4711, or a time such as 2026-05-03T16:20:05Z',
  (text): Named | null => {
    if (/^\d+$/.test(text)) return { text, until: { revision: aRevision(text) } };
    const position = parsePosition(text);
    if (position) return { text, until: { position } };
    if (parseTime(text) === null) return null;
    const time = aTimeUntil(text);
    return { text: new Date(time).toISOString(), until: { time } };
  },
);

const paramsOf = (stream: string, { until, from, limit }: Options): Parameters => {
  const end = until?.until;
  return {
    stream,
    until_revision: end && 'revision' in end ? until?.text : undefined,
    until_position: end && 'position' in end ? until?.text : undefined,
    until_time: end && 'time' in end ? until?.text : undefined,
    from: from?.toString(),
    limit: String(limit),
  };
};

const textOf = ({ stream, steps, next }: Replayed): string =>
  [
    `${stream}:`,
    ...(steps.length === 0 ? ['  no events up to --until'] : steps.map(stepText)),
    ...(next === null ? [] : [`More: --from ${next}`]),
  ].join('\n');

const stepText = (step: Replayed['steps'][number]): string => {
  const { revision, time, type, position, event_id: id, readable, data, state } = step;
  const by = readable ? actorIn(step) : null;
  return [
    `@${revision}  ${time}  ${type}${by === null ? '' : ` by ${by}`}  (${position}, event ${id})`,
    readable ? `  event  ${JSON.stringify(data)}` : '  event  cannot be read by this version',
    `  state  ${JSON.stringify(state)}`,
  ].join('\n');
};

/** As the event says it: without a name. */
const actorIn = ({ actor, data }: Replayed['steps'][number]): string | null => {
  const { by } = (data ?? {}) as { readonly by?: unknown };
  const who = actor ?? (typeof by === 'string' ? by : null);
  return who === null ? null : actorWords(actorOf(who, new Map()));
};
