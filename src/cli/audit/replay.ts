import { actorIn, actorWords } from '../../audit/timeline/entries.ts';
import { parseTime } from '../../audit/timeline/parse-time.ts';
import { parsePosition, positionText } from '../../audit/timeline/position-text.ts';
import { categories, replay, type Replay, type ReplayStep, type Until } from '../../audit/replay.ts';
import { isStreamName } from '../../eventstore/codec/validate.ts';
import { answer, misused, refused, type Answer } from '../base/answer.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { allowing, wholeFrom1To } from '../base/option-values.ts';
import { withService, type CliService } from '../base/service.ts';
import { refusedAsRemoved } from './about.ts';
import { noteQuery } from './note-query.ts';
import { requireInLog } from './log-positions.ts';
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
      return run(() => withService(io, (service) => show(service, stream, options), 'auditor'));
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

const show = async (
  service: CliService,
  stream: string,
  { until, from, limit }: Options,
): Promise<Answer> => {
  const { log } = service.audit;
  const [first] = await log.readStored(stream, 0n, 1);
  // The first events of a session may have expired.
  if (!first && (await log.readStored(stream, 1n, 1)).length === 0)
    return (
      (await refusedAsRemoved(service, stream)) ?? refused('stream-unknown', `there is no stream ${stream}`)
    );
  const absent = await unlessInStream(service, stream, { until, from });
  if (absent) return absent;
  await noteQuery(service, 'replay', {
    parameters: { stream, until: until?.text, from: from?.toString(), limit },
  });
  const done = await replay(service.audit, {
    stream,
    limit,
    ...(until && { until: until.until }),
    ...(from !== undefined && { from }),
  });
  return answer(jsonOf(stream, done), textOf(stream, done));
};

const unlessInStream = async (
  service: CliService,
  stream: string,
  { until, from }: { readonly until: Named | undefined; readonly from: bigint | undefined },
): Promise<Answer | null> => {
  const end = until?.until;
  const last = end && 'revision' in end ? end.revision : undefined;
  for (const [option, revision] of [['--until', last] as const, ['--from', from] as const])
    if (revision !== undefined && (await service.audit.log.readStored(stream, revision, 1)).length === 0)
      return misused(`${option} ${revision} does not exist: ${stream} has no event of this revision yet`);
  return requireInLog(service, [{ option: '--until', ...end }]);
};

const jsonOf = (stream: string, { steps, next }: Replay) => ({
  stream,
  steps: steps.map(({ event, stored, data, state }) => ({
    revision: Number(stored.revision),
    position: positionText(stored.position),
    time: new Date(stored.created).toISOString(),
    event_id: stored.id,
    type: stored.type,
    actor: event?.metadata.actor ?? null,
    readable: event !== null,
    data,
    state,
  })),
  next: next === null ? null : Number(next),
});

const textOf = (stream: string, { steps, next }: Replay): string =>
  [
    `${stream}:`,
    ...(steps.length === 0 ? ['  no events up to --until'] : steps.map(stepText)),
    ...(next === null ? [] : [`More: --from ${next}`]),
  ].join('\n');

const stepText = ({ event, stored, data, state }: ReplayStep): string => {
  const by = event && actorWords(actorIn(event, new Map()));
  return [
    `@${stored.revision}  ${new Date(stored.created).toISOString()}  ${stored.type}${by === null ? '' : ` by ${by}`}  (${positionText(stored.position)}, event ${stored.id})`,
    event ? `  event  ${JSON.stringify(data)}` : '  event  cannot be read by this version',
    `  state  ${JSON.stringify(state)}`,
  ].join('\n');
};
