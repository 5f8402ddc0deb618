import type { FastifyInstance, FastifyReply } from 'fastify';
import { bodyOf, fieldsOf, readInput, type InputProblem } from '../../administration/fields.ts';
import { addressOf, listAddressOf, placeOf, type Place } from '../../administration/places.ts';
import { ownAddons } from '../../administration/publishing.ts';
import type { Json, Page, Task, TaskRefused } from '../../administration/task.ts';
import { unreadParameters } from '../admin/administrators-only.ts';
import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import { secondsUntil } from '../answers/seconds-until.ts';
import { sendJson } from '../answers/send-json.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { path, type Handler } from '../base/routes.ts';
import { pageQuery } from '../operator/api-paths.ts';
import { plainQuery } from '../operator/plain-query.ts';
import { pathId, queryOf } from '../requests/params.ts';
import type { PublisherDependencies } from './dependencies.ts';
import { makeMembersOnly, type Call } from './members-only.ts';
import { publisherPaths, statusOf } from './publisher-paths.ts';

/** What members of a publisher see and do with its add-ons (AP-10), as the table says. */
export const registerPublisherApi = (app: FastifyInstance, dependencies: PublisherDependencies): void => {
  const { baseUrl } = dependencies.browser.config;
  const { ofPublishers, ofAddon } = makeMembersOnly(dependencies);

  const problem = (
    { reply }: Call,
    kind: ProblemKind,
    more?: Parameters<typeof sendProblem>[3],
  ): FastifyReply => sendProblem(reply, baseUrl, kind, more);
  const wrong = (call: Call, problems: readonly InputProblem[]) =>
    problem(call, 'invalid-parameters', {
      errors: problems.map(({ field, code, allowed }) => ({ parameter: field, code, allowed })),
    });
  const refused = (call: Call, { refusal, message, problems = [], retryAt }: TaskRefused) => {
    if (problems.length > 0)
      return wrong(
        call,
        problems.map((each) => ({ field: each.field, code: 'malformed', allowed: each.message })),
      );
    if (retryAt !== undefined)
      void call.reply.header('retry-after', secondsUntil(retryAt, dependencies.now()));
    if (refusal in problemKinds && refusal !== 'addon-retired') return problem(call, refusal as ProblemKind);
    const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
    return problem(call, 'change-refused', { code: refusal, detail });
  };

  const list = ofPublishers(async (call) => {
    const read = readInput(pageQuery, plainQuery(pageQuery, queryOf(call.request)));
    if (!read.ok) return wrong(call, read.problems);
    const { after = null, limit } = read.value as Partial<Page> & Pick<Page, 'limit'>;
    return sendJson(call.reply, await ownAddons.list(call.services, {}, { after, limit }));
  });

  const show = ofAddon(async (call, _addonId, addon) => {
    const errors = unreadParameters(call.request);
    if (errors.length > 0) return problem(call, 'invalid-parameters', { errors });
    return sendJson(call.reply, addon);
  });

  const perform = (task: Task, { input, inAddress }: Place): Handler =>
    ofAddon(async (call, addonId) => {
      const { request, reply, services, context } = call;
      const fields = task.takesReason ? bodyOf(input) : input;
      const body = fieldsOf(fields).length === 0 ? {} : (request.body ?? {});
      const read = readInput(fields, task.isRead ? plainQuery(input, queryOf(request)) : body);
      if (!read.ok) return wrong(call, read.problems);
      const { reason, ...given } = read.value as Json & { readonly reason?: string };
      const named = Object.entries(inAddress).map(([name, field]) => [field, pathId(request, name)]);
      const done = await task.run(
        services,
        addonId,
        { ...given, ...Object.fromEntries(named) },
        { ...context, ...(reason !== undefined && { reason }) },
      );
      if (!done.ok) return refused(call, done);
      return sendJson(reply.code(statusOf(task)), done.json ?? {});
    });

  const handlers: Record<string, Record<string, Handler>> = {
    [listAddressOf(ownAddons)]: { GET: list },
    [addressOf(ownAddons)]: { GET: show },
  };
  for (const task of ownAddons.tasks) {
    const place = placeOf(ownAddons, task);
    handlers[place.url] = { ...handlers[place.url], [place.method]: perform(task, place) };
  }
  const refuse = methodNotAllowed(baseUrl);
  for (const [url, methods] of Object.entries(handlers)) path(app, publisherPaths, url, methods, refuse);
};
