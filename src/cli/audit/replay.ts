import { actorOf, actorWords } from '../../audit/timeline/words.ts';
import type { Replayed } from './ask/replay.ts';

export const replayText = ({ stream, steps, next }: Replayed): string =>
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
