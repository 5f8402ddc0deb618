import { z } from 'zod';
import { timeOrNull } from '../common/iso-time.ts';
import type { CommandContext } from '../commands/kernel/context.ts';
import type { SignalStreamDone } from '../commands/signals/signal-stream-done.ts';
import type { Outcome } from '../commands/kernel/outcome.ts';
import {
  addonOfSignalStream,
  type SignalStatus,
  type SignalStream,
} from '../domain/signals/signal-stream.ts';
import { signalMethods, signalStatuses } from '../domain/signals/events.ts';
import { signalStream } from '../domain/streams.ts';
import type { Standing } from '../signals/read-sets.ts';
import { addons } from './addons.ts';
import { unknownThing } from './outcomes.ts';
import { address, flag, oneOf, position, reference, secret } from './fields.ts';
import { entity, task, type Services, type TaskOutcome } from './task.ts';
import { idOf, nameOf, shown, state } from './answer-fields.ts';
import { english } from '../common/words.ts';

const { fields, signals: texts } = english.tasks;

const time = () => z.string().meta({ format: 'date-time' }).nullable();

const shape = z.object({
  stream_id: z.string(),
  client_id: idOf('addon'),
  name: nameOf().describe('Of the add-on.'),
  method: shown(z.enum(signalMethods), { as: 'word', from: 'l' }),
  endpoint_url: shown(z.string(), { isSecond: true })
    .nullable()
    .describe('Where SETs are pushed; `null` for a poll.'),
  status: state([...signalStatuses, 'deleted'], { enabled: 'good', paused: 'wait', disabled: 'stop' }),
  reason: z
    .string()
    .nullable()
    .describe(
      'Of the newest change of the status, as the add-on sees it; those of operators are in the audit log.',
    ),
  waiting: shown(z.int(), { from: 'm' }).describe('How many SETs wait for an acknowledgement.'),
  oldest_waiting_at: time().describe('When the oldest of them was queued.'),
  delivered: z.int(),
  last_delivered_at: time(),
  last_error: shown(z.string(), { from: 'l', as: 'sentence' })
    .nullable()
    .describe('Of the newest push that did not work, or what was reported of a polled SET (`setErrs`).'),
  last_error_at: time().describe('When that was; it is kept when pushes work again.'),
  failing_since: shown(time(), { from: 'm' }).describe('Since when no push has worked.'),
});

export type SignalItem = z.infer<typeof shape>;

type Found = SignalStream & { readonly name: string };

const present = (
  { streamId, addonId, name, method, endpointUrl, status, reason }: Found,
  standing: Standing | undefined,
): SignalItem => ({
  stream_id: streamId,
  client_id: addonId,
  name,
  method,
  endpoint_url: endpointUrl,
  status,
  reason,
  waiting: standing?.waiting ?? 0,
  oldest_waiting_at: timeOrNull(standing?.oldestWaitingAt),
  delivered: standing?.delivered ?? 0,
  last_delivered_at: timeOrNull(standing?.lastDeliveredAt),
  last_error: standing?.lastError ?? null,
  last_error_at: timeOrNull(standing?.lastErrorAt),
  failing_since: timeOrNull(standing?.failingSince),
});

/** The stream as the log has it, if its add-on has it still. */
const find = async ({ commands }: Services, streamId: string): Promise<Found | null> => {
  const addonId = addonOfSignalStream(streamId) ?? '';
  const [stream, addon] = await Promise.all([
    commands.findSignalStream(addonId),
    commands.findAddon(addonId),
  ]);
  return stream?.streamId === streamId ? { ...stream, name: addon?.name ?? '' } : null;
};

const show = async (services: Services, streamId: string): Promise<SignalItem | null> => {
  const stream = await find(services, streamId);
  if (!stream) return null;
  const [standing] = await services.signals.standings([streamId]);
  return present(stream, standing);
};

const filters = z.object({
  addon: reference(texts.filters.addon, 'addon').optional(),
  state: oneOf(texts.filters.state, [...signalStatuses, 'failing']).optional(),
});

const unknown = (streamId: string): TaskOutcome =>
  unknownThing({ name: 'signals', noun: 'signal stream' }, streamId);

const create = task({
  name: 'create',
  ...texts.create,
  at: { method: 'POST', path: '' },
  isCreating: true,
  input: z.object({
    addon: reference(texts.fields.addon, 'addon'),
    endpoint_url: address(fields.endpoint_url).optional(),
    authorization_header: secret(fields.authorization_header).optional(),
    records_changed: flag(fields.records_changed).optional(),
  }),
  run: async (services, _id, input, context) => {
    const { commands, signals } = services;
    const endpointUrl = input.endpoint_url ?? null;
    const authorization = input.authorization_header ?? null;
    const problems = await problemsOf(services, endpointUrl, authorization);
    if (problems.length > 0)
      return { ok: false, refusal: 'signals-invalid', message: 'nothing can be pushed like this', problems };
    const outcome = await commands.createSignalStream(
      {
        addonId: input.addon,
        caller: 'operator',
        configuration: {
          method: endpointUrl === null ? 'poll' : 'push',
          endpointUrl,
          authorization,
          eventsRequested: signals.eventTypes(input.records_changed === true),
          description: null,
        },
      },
      context,
    );
    if (!outcome.ok)
      return { ok: false, refusal: outcome.refusal, message: refusedCreation[outcome.refusal] };
    const { stream, position } = outcome.value;
    await signals.keep(stream);
    return { ok: true, text: 'Created.', position, id: stream.streamId };
  },
});

const refusedCreation = {
  'addon-unknown': 'add-on not found',
  'addon-retired': 'the add-on was retired',
  'push-only': 'a public add-on cannot poll, because it has no token of its own: name an endpoint URL',
  'signal-stream-exists': 'the add-on has a signal stream already: delete it first, or leave it',
};

const headerValue = /^[\x21-\x7e]+(?:[ \t]+[\x21-\x7e]+)*$/;

const problemsOf = async ({ signals }: Services, endpointUrl: string | null, header: string | null) => {
  const endpoint = endpointUrl === null ? null : await signals.endpointProblem(endpointUrl);
  const wrongHeader =
    header === null || (endpointUrl !== null && headerValue.test(header)) ? null : english.problems.header;
  return [
    ...(endpoint === null ? [] : [{ field: 'endpoint_url', message: endpoint }]),
    ...(wrongHeader === null ? [] : [{ field: 'authorization_header', message: wrongHeader }]),
  ];
};

const done = async (
  { signals }: Services,
  streamId: string,
  outcome: Outcome<SignalStreamDone, 'signal-stream-unknown'>,
  words: string,
): Promise<TaskOutcome> => {
  if (!outcome.ok) return unknown(streamId);
  const { position } = outcome.value;
  await signals.wake(streamId);
  return { ok: true, text: position === null ? 'Nothing was to be changed.' : words, position };
};

const setStatus = (name: 'pause' | 'resume', status: SignalStatus, words: string) =>
  task({
    name,
    ...texts[name],
    isUseful: (shown) => shown['status'] !== status,
    input: z.object({}),
    run: async (services, streamId, _input, context) =>
      done(
        services,
        streamId,
        await services.commands.setSignalStreamStatus(
          { streamId, caller: 'operator', status, reason: null, by: 'transmitter' },
          context,
        ),
        words,
      ),
  });

const pause = setStatus('pause', 'paused', 'Paused: what happens now waits.');
const resume = setStatus('resume', 'enabled', 'Resumed: what waits is delivered.');

const test = task({
  name: 'test',
  ...texts.test,
  isMain: true,
  input: z.object({}),
  run: async (services, streamId, _input, context) => {
    const stream = await find(services, streamId);
    if (!stream) return unknown(streamId);
    await services.signals.verify({ stream, state: null, txn: traceOf(context), isUnlimited: true });
    return { ok: true, text: 'The verification event waits to be delivered.', position: null };
  },
});

/** The id of the trace (W3C Trace Context). */
export const traceOf = ({ traceparent }: CommandContext): string => traceparent.split('-')[1] ?? traceparent;

const replay = task({
  name: 'replay',
  ...texts.replay,
  input: z.object({
    after: position(fields.after),
  }),
  run: async (services, streamId, { after }, context) => {
    const outcome = await services.commands.replaySignalStream({ streamId, after }, context);
    return done(services, streamId, outcome, 'It is offered again.');
  },
});

const remove = task({
  name: 'delete',
  ...texts.delete,
  isFinal: true,
  input: z.object({}),
  run: async (services, streamId, _input, context) => {
    const shown = await show(services, streamId);
    const outcome = await services.commands.deleteSignalStream({ streamId, caller: 'operator' }, context);
    if (!outcome.ok || !shown) return unknown(streamId);
    await services.signals.wake(streamId);
    const json = { ...shown, status: 'deleted', waiting: 0, oldest_waiting_at: null };
    return { ok: true, text: 'Deleted.', position: outcome.value.position, json };
  },
});

/** To how many it is counted. */
const mostFailing = 1_000;

/** Signal streams: how add-ons are notified, and whether that works. */
export const signals = entity({
  name: 'signals',
  noun: 'signal stream',
  plural: 'signals',
  idKey: 'stream_id',
  shape,
  example: {
    stream_id: '01JD2C4Q6S8V0X2Z4B6D8F0H2K_01JD3FB0M2N4P6Q8R0S2T4V6W8',
    client_id: '01JD2C4Q6S8V0X2Z4B6D8F0H2K',
    name: 'Door Sync',
    method: 'push',
    endpoint_url: 'https://doors.example/signals',
    status: 'enabled',
    reason: null,
    waiting: 2,
    oldest_waiting_at: '2026-05-01T08:00:00.000Z',
    delivered: 40,
    last_delivered_at: '2026-05-01T07:30:00.000Z',
    last_error: 'answered 503 instead of 202',
    last_error_at: '2026-05-01T08:00:01.000Z',
    failing_since: '2026-05-01T08:00:01.000Z',
  } satisfies SignalItem,
  filters,
  columns: texts.columns,
  show,
  /** The database names them; each is shown as the log has it. */
  list: async (services, { addon, state }, { after, limit, countTo }) => {
    const asked = { addonId: addon ?? null, state: state ?? null };
    const [ids, total] = await Promise.all([
      services.signals.list({ after, limit: limit + 1, ...asked }),
      countTo === undefined ? null : services.signals.count(asked, countTo),
    ]);
    const page = ids.slice(0, limit);
    const [streams, standings] = await Promise.all([
      Promise.all(page.map((streamId) => find(services, streamId))),
      services.signals.standings(page),
    ]);
    const byId = new Map(standings.map((standing) => [standing.streamId, standing]));
    const items = streams.flatMap((stream) => (stream ? [present(stream, byId.get(stream.streamId))] : []));
    return { items, next: ids.length > limit ? (page.at(-1) ?? null) : null, ...(total && { total }) };
  },
  isId: (text) => addonOfSignalStream(text) !== null,
  /** By the name of its add-on. */
  find: async (services, text) => {
    const called = await addons.find(services, text);
    const streams = await Promise.all(called.map(({ id }) => services.commands.findSignalStream(id)));
    return called.flatMap(({ name }, index) => {
      const stream = streams[index];
      return stream ? [{ id: stream.streamId, name }] : [];
    });
  },
  stream: (streamId) => signalStream(addonOfSignalStream(streamId) ?? ''),
  work: {
    filters: { state: 'failing' },
    count: async ({ signals: streams }) =>
      (await streams.count({ addonId: null, state: 'failing' }, mostFailing)).count,
  },
  tasks: [pause, resume, test, replay, remove],
  making: [create],
});
