import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { GivenConfiguration } from '../../commands/signals/signal-stream-done.ts';
import type { SignalScope } from '../../domain/access/addon-token.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { SignalStatus, SignalStream } from '../../domain/signals/signal-stream.ts';
import { supportedTypes } from '../../signals/set-types.ts';
import { secondsUntil } from '../answers/seconds-until.ts';
import { sendJson } from '../answers/send-json.ts';
import type { ProblemKind } from '../answers/problems.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import type { HttpConfig } from '../base/dependencies.ts';
import { admitting, path, type Handler } from '../base/routes.ts';
import type { ParameterError } from '../contracts/problem.ts';
import {
  changeStreamForm,
  createStreamForm,
  streamAllows,
  streamStatusForm,
  verifyForm,
  pollMethod,
  pushMethod,
  type StreamConfiguration,
  type StreamStatus,
} from '../contracts/signal-streams.ts';
import { isRepeated, only, queryOf } from '../requests/params.ts';
import { contextOf, traceOf } from '../requests/trace.ts';
import { makeAddonOf } from './addon-token.ts';
import type { SignalsDependencies } from './dependencies.ts';
import { malformed, readBody, refuseBody } from './read-body.ts';
import { streamPaths } from './stream-paths.ts';
import { allSupplied, differences, sentSupplied } from './supplied.ts';

type Call = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly addonId: string;
};

/** The management of streams by their add-ons (SSF 1.0 §8.1; SG-03): judged on the log, on any instance. */
export const registerStreams = (app: FastifyInstance, dependencies: SignalsDependencies): void => {
  const { commands, config, signalStreams: signals } = dependencies;
  const addonOf = makeAddonOf(dependencies);
  const present = (stream: SignalStream) =>
    presentStream({ ...config, minVerificationInterval: signals.minVerificationInterval }, stream);
  const problem = ({ reply }: Call, kind: ProblemKind) => sendProblem(reply, config.baseUrl, kind);
  const wrong = ({ reply }: Call, errors: readonly ParameterError[]) =>
    refuseBody(reply, config.baseUrl, errors);
  const wrongStreamId = malformed(streamAllows, 'stream_id');

  const tooMany = (call: Call, until: Instant): FastifyReply => {
    void call.reply.header('retry-after', secondsUntil(until, dependencies.now()));
    return problem(call, 'too-many-requests');
  };
  /** False when the add-on has changed its stream too often; the answer has been sent then. */
  const mayChange = async (call: Call): Promise<boolean> => {
    const until = await commands.signalChangesPausedUntil(call.addonId);
    if (until !== null) tooMany(call, until);
    return until === null;
  };

  const asAddon = (scope: SignalScope, act: (call: Call) => Promise<FastifyReply>): Handler =>
    admitting(
      async (request, reply) => {
        const addon = await addonOf(request, reply, scope);
        return addon ? { caller: { request, reply, addonId: addon.addonId } } : reply;
      },
      (call: Call) => act(call),
    );
  const asking = <T>(form: z.ZodType<T>, act: (call: Call, body: T) => Promise<FastifyReply>): Handler =>
    asAddon('ssf.manage', async (call) => {
      const read = readBody(form, streamAllows, call.request.body);
      return read.ok ? act(call, read.value) : wrong(call, read.errors);
    });
  const askingOf = <T extends { readonly stream_id: string }>(
    form: z.ZodType<T>,
    act: (call: Call, body: T, stream: SignalStream) => Promise<FastifyReply>,
  ): Handler =>
    asking(form, async (call, body) => {
      const stream = await commands.findSignalStream(call.addonId);
      return stream?.streamId === body.stream_id
        ? act(call, body, stream)
        : problem(call, 'signal-stream-unknown');
    });
  const about = (
    scope: SignalScope,
    act: (call: Call, stream: SignalStream) => Promise<FastifyReply>,
  ): Handler =>
    asAddon(scope, async (call) => {
      const streamId = only(queryOf(call.request), 'stream_id');
      if (streamId === undefined) return wrong(call, wrongStreamId);
      const stream = await commands.findSignalStream(call.addonId);
      return stream?.streamId === streamId ? act(call, stream) : problem(call, 'signal-stream-unknown');
    });

  const endpointErrors = async ({
    method,
    endpointUrl,
  }: Partial<GivenConfiguration>): Promise<readonly ParameterError[]> => {
    if (method !== 'push') return [];
    const allowed = endpointUrl ? await signals.endpointProblem(endpointUrl) : streamAllows[endpoint];
    return typeof allowed === 'string' ? malformed({ [endpoint]: allowed }, endpoint) : [];
  };

  const create = asking(createStreamForm, async (call, body) => {
    const { request, reply, addonId } = call;
    if (await commands.findSignalStream(addonId)) return problem(call, 'signal-stream-exists');
    const configuration = allSupplied(body);
    const errors = await endpointErrors(configuration);
    if (errors.length > 0) return wrong(call, errors);
    if (!(await mayChange(call))) return reply;
    const done = await commands.createSignalStream(
      { addonId, caller: 'addon', configuration },
      contextOf(request),
    );
    if (!done.ok)
      // Everything else would have ended the token before.
      return problem(call, done.refusal === 'signal-stream-exists' ? done.refusal : 'token-revoked');
    return sendJson(reply.code(201), present(done.value.stream));
  });

  const read = asAddon('ssf.read', async (call) => {
    const query = queryOf(call.request);
    if (isRepeated(query, 'stream_id')) return wrong(call, wrongStreamId);
    const stream = await commands.findSignalStream(call.addonId);
    if (!query.has('stream_id')) return sendJson(call.reply, stream ? [present(stream)] : []);
    if (stream === null || only(query, 'stream_id') !== stream.streamId)
      return problem(call, 'signal-stream-unknown');
    return sendJson(call.reply, present(stream));
  });

  const change = (suppliedIn: (body: z.infer<typeof changeStreamForm>) => Partial<GivenConfiguration>) =>
    askingOf(changeStreamForm, async (call, body, stream) => {
      const changed = suppliedIn(body);
      const then = present({ ...stream, ...changed, authorization: null });
      const errors = [...differences(body, present(stream), then), ...(await endpointErrors(changed))];
      if (errors.length > 0) return wrong(call, errors);
      if (!(await mayChange(call))) return call.reply;
      const { streamId } = stream;
      const done = await commands.changeSignalStream(
        { streamId, caller: 'addon', change: changed },
        contextOf(call.request),
      );
      if (!done.ok) return problem(call, 'signal-stream-unknown');
      if (done.value.position !== null) await signals.wake(streamId);
      return sendJson(call.reply, present(done.value.stream));
    });

  const remove = about('ssf.manage', async (call, { streamId }) => {
    const done = await commands.deleteSignalStream({ streamId, caller: 'addon' }, contextOf(call.request));
    if (!done.ok) return problem(call, 'signal-stream-unknown');
    await signals.wake(streamId);
    return call.reply.code(204).header('cache-control', 'no-store').send();
  });

  const readStatus = about('ssf.read', async (call, stream) => sendJson(call.reply, presentStatus(stream)));

  /** No limit keeps it from what ends (FX-89); it begins again only within it. */
  const stops = (from: SignalStatus, to: SignalStatus) =>
    from !== to && (from === 'enabled' || to === 'disabled');

  const setStatus = askingOf(streamStatusForm, async (call, { status, reason }, stream) => {
    const { streamId } = stream;
    if (!stops(stream.status, status) && !(await mayChange(call))) return call.reply;
    const done = await commands.setSignalStreamStatus(
      { streamId, caller: 'addon', status, reason: reason ?? null, by: 'receiver' },
      contextOf(call.request),
    );
    if (!done.ok) return problem(call, 'signal-stream-unknown');
    if (done.value.position !== null) await signals.wake(streamId);
    return sendJson(call.reply, presentStatus(done.value.stream));
  });

  const verify = askingOf(verifyForm, async (call, { state }, stream) => {
    const txn = traceOf(call.request).traceId;
    const done = await signals.verify({ stream, state: state ?? null, txn, isUnlimited: false });
    if (done.ok) return call.reply.code(204).header('cache-control', 'no-store').send();
    return tooMany(call, done.retryAt);
  });

  const refuse = methodNotAllowed(config.baseUrl);
  path(
    app,
    streamPaths,
    '/ssf/streams',
    { POST: create, GET: read, PATCH: change(sentSupplied), PUT: change(allSupplied), DELETE: remove },
    refuse,
  );
  path(app, streamPaths, '/ssf/status', { GET: readStatus, POST: setStatus }, refuse);
  path(app, streamPaths, '/ssf/verify', { POST: verify }, refuse);
};

const endpoint = 'delivery.endpoint_url';

type About = Pick<HttpConfig, 'issuer' | 'baseUrl'> & { readonly minVerificationInterval: number };

/** The configuration of a stream as its add-on reads it: never with the header of its pushes. */
const presentStream = (
  { issuer, baseUrl, minVerificationInterval }: About,
  { streamId, addonId, method, endpointUrl, eventsRequested, description }: SignalStream,
): StreamConfiguration => {
  const supported = supportedTypes(issuer);
  return {
    stream_id: streamId,
    iss: issuer,
    aud: addonId,
    delivery:
      method === 'poll'
        ? { method: pollMethod, endpoint_url: `${baseUrl}/ssf/poll/${streamId}` }
        : { method: pushMethod, endpoint_url: endpointUrl ?? '' },
    events_supported: supported,
    ...(eventsRequested.length > 0 && { events_requested: eventsRequested }),
    events_delivered: supported.filter((type) => eventsRequested.includes(type)),
    min_verification_interval: minVerificationInterval,
    ...(description !== null && { description }),
  };
};

const presentStatus = ({ streamId, status, reason }: SignalStream): StreamStatus => ({
  stream_id: streamId,
  status,
  ...(reason !== null && { reason }),
});
