import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  changeField,
  changeMessage,
  presentChange,
  proposalIn,
} from '../../administration/addons/addon-changes.ts';
import { presentAddonItem } from '../../administration/addons.ts';
import { readInput } from '../../administration/fields.ts';
import { signals } from '../../administration/signals.ts';
import type { FieldProblem } from '../../commands/kernel/outcome.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import { secondsUntil } from '../answers/seconds-until.ts';
import { sendJson } from '../answers/send-json.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { path, type Handler } from '../base/routes.ts';
import type { ParameterError } from '../contracts/problem.ts';
import { changeForm, replayForm } from '../contracts/publisher.ts';
import { pathId, queryOf } from '../requests/params.ts';
import { traceOf } from '../requests/trace.ts';
import type { PublisherDependencies } from './dependencies.ts';
import { organizationsOf, secretsOf } from './facts.ts';
import { makeMembersOnly, type Call, type OwnCall } from './members-only.ts';
import { pageQuery, publisherPaths, usageQuery } from './publisher-paths.ts';
import { presentUsage } from './present-usage.ts';

/** What members of a publisher see and do with its add-ons (AP-10). No answer says anything about a person. */
export const registerPublisherApi = (app: FastifyInstance, dependencies: PublisherDependencies): void => {
  const { browser, commands, services, readUsage, now } = dependencies;
  const { config } = browser;
  const { ofPublishers, ofAddon } = makeMembersOnly(dependencies);

  const problem = ({ request, reply }: Call, kind: ProblemKind) =>
    sendProblem(request, reply, config.baseUrl, kind);
  const wrong = ({ request, reply }: Call, errors: readonly ParameterError[]) =>
    sendProblem(request, reply, config.baseUrl, 'invalid-parameters', { errors });
  const refused = (call: Call, refusal: string, problems: readonly FieldProblem[] = []) => {
    if (problems.length > 0)
      return wrong(
        call,
        problems.map(({ field, message }) => ({
          parameter: changeField(field),
          code: 'malformed',
          allowed: message,
        })),
      );
    if (refusal in problemKinds && refusal !== 'addon-retired') return problem(call, refusal as ProblemKind);
    const message = changeMessage(refusal);
    const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
    const { request, reply } = call;
    return sendProblem(request, reply, config.baseUrl, 'change-refused', { code: refusal, detail });
  };
  const later = (call: Call, until: Instant): FastifyReply =>
    problem(
      { ...call, reply: call.reply.header('retry-after', secondsUntil(until, now())) },
      'too-many-requests',
    );

  /** Runs with the fields of the query, or of the body. */
  const reading =
    <Input extends z.ZodObject, C extends Call>(
      input: Input,
      given: (request: FastifyRequest) => unknown,
      act: (call: C, value: z.infer<Input>) => Promise<FastifyReply>,
    ) =>
    async (call: C): Promise<FastifyReply> => {
      const read = readInput(input, given(call.request));
      if (read.ok) return act(call, read.value as z.infer<Input>);
      return wrong(
        call,
        read.problems.map(({ field, code, allowed }) => ({ parameter: field, code, allowed })),
      );
    };
  type Page = { readonly after: string | null; readonly limit: number };
  const paging = <C extends Call>(act: (call: C, page: Page) => Promise<FastifyReply>) =>
    reading<typeof pageQuery, C>(pageQuery, numbersIn, async (call, asked) => {
      const { after = null, limit } = asked as { readonly after?: string; readonly limit: number };
      return act(call, { after, limit });
    });
  /** Changes of an add-on are events of it: a member makes so many a day. */
  const changing = (act: (call: OwnCall) => Promise<FastifyReply>): Handler =>
    ofAddon(async (call) => {
      const until = await commands.addonChangesPausedUntil(call.addon.addonId);
      return until === null ? act(call) : later(call, until);
    });

  const list: Handler = ofPublishers((own, publisherIds) =>
    paging(async ({ reply, member }, { after, limit }) => {
      const ids = await services.readModels.addonsOfPublishers(publisherIds, { after, limit: limit + 1 });
      const page = ids.slice(0, limit);
      const found = await Promise.all(page.map((addonId) => commands.ownAddon({ addonId, member })));
      return sendJson(reply, {
        items: found.filter((addon) => addon !== null).map(presentAddonItem),
        next: ids.length > limit ? (page.at(-1) ?? null) : null,
      });
    })(own),
  );

  const show: Handler = ofAddon(async ({ reply, addon }) => sendJson(reply, presentAddonItem(addon)));

  const organizations: Handler = ofAddon(
    paging<OwnCall>(async ({ reply, addon }, page) =>
      sendJson(reply, await organizationsOf(services, addon.addonId, page)),
    ),
    true,
  );

  const listSecrets = async ({ reply, addon }: OwnCall) =>
    sendJson(reply, { items: await secretsOf(commands, addon.addonId) });
  const addSecret = changing(async (call) => {
    const { addonId } = call.addon;
    const added = await commands.addOwnAddonSecret({ addonId, member: call.member }, call.context);
    if (!added.ok) return refused(call, added.refusal);
    const { secretId, clientSecret } = added.value;
    return sendJson(call.reply.code(201), {
      client_id: addonId,
      secret_id: secretId,
      client_secret: clientSecret,
    });
  });
  const removeSecret = changing(async (call) => {
    const secretId = pathId(call.request, 'secret_id');
    const request = { addonId: call.addon.addonId, member: call.member, secretId };
    const removed = await commands.removeOwnAddonSecret(request, call.context);
    return removed.ok ? listSecrets(call) : refused(call, removed.refusal);
  });

  const changes = ofAddon(async ({ reply, addon }) =>
    sendJson(reply, { items: ((await commands.listAddonChanges(addon.addonId)) ?? []).map(presentChange) }),
  );
  const propose = changing(
    reading<typeof changeForm, OwnCall>(changeForm, bodyOf, async (call, { reason, ...fields }) => {
      const outcome = await commands.proposeAddonChange(
        {
          addonId: call.addon.addonId,
          member: call.member,
          isFree: config.publisherChanges === 'free',
          ...proposalIn(fields),
        },
        { ...call.context, ...(reason !== undefined && { reason }) },
      );
      if (!outcome.ok) return refused(call, outcome.refusal, outcome.problems);
      return sendJson(call.reply.code(201), presentChange(outcome.value.change));
    }),
  );
  const withdraw = changing(async (call) => {
    const request = { addonId: call.addon.addonId, changeId: pathId(call.request, 'change_id') };
    const outcome = await commands.withdrawAddonChange(request, call.context);
    return outcome.ok
      ? sendJson(call.reply, presentChange(outcome.value.change))
      : refused(call, outcome.refusal);
  });

  /** About the add-on's stream, if it has one. */
  const ofSignals = (act: (call: OwnCall, stream: NonNullable<Stream>) => Promise<FastifyReply>): Handler =>
    ofAddon(async (call) => {
      const stream = await commands.findSignalStream(call.addon.addonId);
      return stream ? act(call, stream) : problem(call, 'signals-unknown');
    });
  type Stream = Awaited<ReturnType<typeof commands.findSignalStream>>;
  const showSignals = async (call: OwnCall, { streamId }: NonNullable<Stream>) => {
    const shown = await signals.show(services, streamId);
    return shown ? sendJson(call.reply, shown) : problem(call, 'signals-unknown');
  };
  const testSignals = ofSignals(async (call, stream) => {
    const txn = traceOf(call.request).traceId;
    const verified = await services.signals.verify({ stream, state: null, txn, isUnlimited: false });
    return verified.ok ? showSignals(call, stream) : later(call, verified.retryAt);
  });
  const replaySignals = ofSignals((own, stream) =>
    reading<typeof replayForm, OwnCall>(replayForm, bodyOf, async (call, { after }) => {
      const until = await commands.signalChangesPausedUntil(call.addon.addonId);
      if (until !== null) return later(call, until);
      const request = { streamId: stream.streamId, after };
      const outcome = await commands.replaySignalStream(request, call.context);
      if (!outcome.ok) return problem(call, 'signals-unknown');
      await services.signals.wake(stream.streamId);
      return showSignals(call, stream);
    })(own),
  );

  const usage = ofAddon(
    reading<typeof usageQuery, OwnCall>(usageQuery, numbersIn, async ({ reply, addon }, { days }) =>
      sendJson(reply, presentUsage(config.baseUrl, await readUsage(addon.addonId, days))),
    ),
    true,
  );

  const refuse: Handler = (request, reply) =>
    sendProblem(request, reply, config.baseUrl, 'method-not-allowed');
  const root = '/publisher/api/addons';
  path(app, publisherPaths, root, { GET: list }, refuse);
  path(app, publisherPaths, `${root}/{client_id}`, { GET: show }, refuse);
  path(app, publisherPaths, `${root}/{client_id}/organizations`, { GET: organizations }, refuse);
  path(
    app,
    publisherPaths,
    `${root}/{client_id}/secrets`,
    { GET: ofAddon(listSecrets), POST: addSecret },
    refuse,
  );
  path(app, publisherPaths, `${root}/{client_id}/secrets/{secret_id}`, { DELETE: removeSecret }, refuse);
  path(app, publisherPaths, `${root}/{client_id}/changes`, { GET: changes, POST: propose }, refuse);
  path(app, publisherPaths, `${root}/{client_id}/changes/{change_id}/withdraw`, { POST: withdraw }, refuse);
  path(app, publisherPaths, `${root}/{client_id}/signals`, { GET: ofSignals(showSignals) }, refuse);
  path(app, publisherPaths, `${root}/{client_id}/signals/test`, { POST: testSignals }, refuse);
  path(app, publisherPaths, `${root}/{client_id}/signals/replay`, { POST: replaySignals }, refuse);
  path(app, publisherPaths, `${root}/{client_id}/usage`, { GET: usage }, refuse);
};

const bodyOf = ({ body }: FastifyRequest): unknown => body ?? {};

/** A parameter that is sent twice stays a list, which no field accepts. */
const numbersIn = (request: FastifyRequest): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...queryOf(request)].map(([name, values]) => {
      const [first = ''] = values;
      if (values.length > 1) return [name, values];
      return [name, name !== 'after' && /^\d{1,6}$/.test(first) ? Number(first) : first];
    }),
  );
