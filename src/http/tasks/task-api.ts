import type { z } from 'zod';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { snakeCase } from '../../domain/kernel/snake-case.ts';
import { bodyLimitOf, bodyOf, readInput, type InputProblem, type Rule } from '../../tasks/fields.ts';
import { changedFields, patch, patchInput } from '../../tasks/patch.ts';
import { listNamed, listPartNamed, namesOf, showNamed } from '../../tasks/find.ts';
import {
  addressOf,
  isMaking,
  listAddressOf,
  bodyAt,
  placeOf,
  statusOf,
  tasksOf,
  type Place,
} from '../../tasks/places.ts';
import { perform, type Performed } from '../../tasks/perform.ts';
import type { Entity, Json, Part, Services, Task, TaskRefused } from '../../tasks/task.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { HttpConfig } from '../base/dependencies.ts';
import { secondsUntil } from '../answers/seconds-until.ts';
import type { Once } from '../../commands/kernel/once.ts';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { ParameterError } from '../contracts/problem.ts';
import { pathId, queryOf } from '../requests/params.ts';
import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import { path, templateOf, type Handler } from '../base/routes.ts';
import { acceptJsonAs } from '../answers/scope-handlers.ts';
import { sendJson } from '../answers/send-json.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import type { Paths } from '../openapi/describe.ts';
import { acceptPatch, listQuery, mergePatch, pageQuery, unknownOf } from './describe-tasks.ts';
import { keyOf, malformedKey, sortedJson, type makeAnswerOnce, type Response } from './idempotency-key.ts';
import { plainQuery } from './plain-query.ts';

/** A request of somebody who may send it. */
export type Call = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** As this caller may use them. */
  readonly services: Services;
  /** Names the caller, and the token if one was sent, in the events. */
  readonly context: CommandContext;
};

type Act = (call: Call) => Promise<FastifyReply>;

type TaskApi = {
  readonly entities: readonly Entity[];
  readonly paths: Paths;
  /** Whoever may do something with one of them; what is not theirs is not found. */
  readonly guarded: (act: Act) => Handler;
  /** Whoever has a list at all, and what shows one of them, if these are not the same. */
  readonly listing?: (act: Act) => Handler;
  readonly showing?: (act: Act) => Handler;
  /** Whether an answer also has the words of the command line where `Prefer: outcome` asks for them. */
  readonly hasOutcome?: boolean;
  readonly config: Pick<HttpConfig, 'baseUrl'>;
  readonly answerOnce: ReturnType<typeof makeAnswerOnce>;
  readonly now: () => Instant;
};

/** The JSON API of an audience: what the table of tasks says, for each of its entities. */
export const registerTaskApi = (app: FastifyInstance, api: TaskApi): void => {
  const { entities, paths, guarded, listing = guarded, showing = guarded, config, answerOnce, now } = api;
  const wantsOutcome = (request: FastifyRequest) => api.hasOutcome === true && prefersOutcome(request);
  const unknown = (reply: FastifyReply, about: Entity) => {
    const { name, noun = name, plural, filters } = about;
    return sendProblem(reply, config.baseUrl, unknownOf({ name }), {
      detail: `There is no ${noun} with this id. GET ${listAddressOf(about)}${'search' in filters.shape ? '?search=NAME' : ''} finds ${plural}`,
    });
  };
  const wrong = (reply: FastifyReply, problems: readonly InputProblem[]) =>
    sendProblem(reply, config.baseUrl, 'invalid-parameters', {
      errors: problems.map(({ field, code, allowed }): ParameterError => ({
        parameter: field,
        code,
        allowed,
      })),
    });
  const refuse = methodNotAllowed(config.baseUrl);

  const list = (about: Entity): Handler =>
    listing(async ({ request, reply, services }) => {
      const read = readInput(listQuery(about), plainQuery(listQuery(about), queryOf(request)));
      if (!read.ok) return wrong(reply, read.problems);
      const {
        limit,
        after = null,
        ...filters
      } = read.value as Json & {
        readonly limit: number;
        readonly after?: string;
      };
      await services.settle();
      const listed = await listNamed(services, about, filters, { after, limit });
      return listed.ok ? sendJson(reply, listed.value) : refused(reply, listed);
    });

  const listOf = (about: Entity, part: Part): Handler =>
    guarded(async ({ request, reply, services }) => {
      const read = readInput(pageQuery, plainQuery(pageQuery, queryOf(request)));
      if (!read.ok) return wrong(reply, read.problems);
      const { limit, after = null } = read.value as { readonly limit: number; readonly after?: string };
      const found = await listPartNamed(services, about, part, pathId(request, about.idKey), {
        after,
        limit,
      });
      if (!found.ok) return refused(reply, found);
      return found.value === null ? unknown(reply, about) : sendJson(reply, found.value);
    });

  const show = (about: Entity): Handler =>
    showing(async ({ request, reply, services }) => {
      const found = await showNamed(services, about, pathId(request, about.idKey));
      if (!found.ok) return refused(reply, found);
      const { json, revision } = found.value;
      return json === null
        ? unknown(reply, about)
        : sendJson(reply, await spoken(services, request, about, { json }), etagOf(revision));
    });

  type Do = (
    request: {
      readonly id: string;
      readonly input: Json;
      readonly shownAt?: readonly bigint[];
      readonly isEmpty: boolean;
    },
    call: Pick<Call, 'services' | 'context'>,
  ) => Promise<Performed>;

  type Refused = Extract<Performed, { readonly ok: false }>;

  type Changing = {
    readonly about: Entity;
    /** Its fields, with the reason where there is one. */
    readonly body: z.ZodObject;
    readonly rules?: readonly Rule[];
    readonly task?: Task;
    readonly place?: Place;
    readonly act: Do;
  };

  const change = ({ about, body: taken, rules = [], task, place, act }: Changing) =>
    guarded(async ({ request, reply, services, context }) => {
      const isMade = task !== undefined && isMaking(about, task);
      const id = isMade ? '' : pathId(request, about.idKey);
      const given = request.body ?? {};
      const sent = task ? given : await changedFields(services, about, id, given);
      const body = readInput(taken, sent, rules);
      const shownAt = ifMatchOf(request);
      const key = task?.isCreating ? keyOf(request) : null;
      const problems = [
        ...(body.ok ? [] : body.problems),
        ...(shownAt === 'malformed' ? [malformedIfMatch] : []),
        ...(key === 'malformed' ? [malformedKey] : []),
      ];
      if (!body.ok || shownAt === 'malformed' || key === 'malformed') return wrong(reply, problems);
      const { reason, ...fields } = { ...body.value, ...inAddress(request, place) } as Json & {
        readonly reason?: string;
      };
      const asked = {
        id,
        input: fields,
        ...(shownAt !== null && { shownAt }),
        isEmpty: Object.keys(given).every((name) => name === 'reason'),
      };
      const inContext = { ...context, ...(reason !== undefined && { reason }) };
      const answer = async (once?: Once): Promise<Response | Refused> => {
        const done = await act(asked, { services, context: { ...inContext, ...(once && { once }) } });
        if (!done.ok) return done;
        const location = `${config.baseUrl}${listAddressOf(about)}/${encodeURIComponent(done.id)}`;
        const headers = { ...etagOf(done.revision), ...(place?.isOfList && { location }) };
        return {
          status: task && place ? statusOf(task, place) : 200,
          headers,
          json: await spoken(services, request, about, done, task),
        };
      };
      const send = (given: Response | Refused) => {
        if ('ok' in given) return refused(reply, given);
        void reply.code(given.status);
        return sendJson(reply, given.json, given.headers);
      };
      if (key === null) return send(await answer());
      const account = context.acting?.actor ?? '';
      const content = sortedJson([request.method, request.url, request.headers['if-match'], given]);
      const made = await answerOnce(reply, { account, key, sent: content }, ({ once }) => answer(once));
      return made === null ? reply : send(made);
    });

  /** A task that only reads. */
  const read = (about: Entity, task: Task, place: Place) =>
    guarded(async ({ request, reply, services, context }) => {
      const query = readInput(place.input, plainQuery(place.input, queryOf(request)));
      if (!query.ok) return wrong(reply, query.problems);
      const input = { ...query.value, ...inAddress(request, place) };
      const id = pathId(request, about.idKey);
      const done = await perform(services, about, task, { id, input }, context);
      return done.ok
        ? sendJson(reply, await spoken(services, request, about, done, task), etagOf(done.revision))
        : refused(reply, done);
    });

  /** An answer, with what the command line prints next to it where the caller wants that. */
  const spoken = async (
    services: Services,
    request: FastifyRequest,
    about: Entity,
    { json, text, changed }: { readonly json: Json; readonly text?: string; readonly changed?: boolean },
    task?: Task | null,
  ): Promise<Json> =>
    wantsOutcome(request)
      ? { ...json, _outcome: { text, changed, names: await namesOf(services, about, json, task) } }
      : json;

  /** As the command line says it. */
  const refusedInWords = (
    reply: FastifyReply,
    { refusal: code, message: detail, problems, candidates, current }: TaskRefused,
  ): FastifyReply => {
    const kind = isProblem(code) ? code : 'change-refused';
    const errors = problems?.map(({ field, message: allowed }): ParameterError => ({
      parameter: field,
      code: 'malformed',
      allowed,
    }));
    const isWrong = errors !== undefined && errors.length > 0;
    return sendProblem(reply, config.baseUrl, isWrong ? 'invalid-parameters' : kind, {
      code,
      detail,
      ...(errors && { errors }),
      ...(candidates && { candidates }),
      ...(current && { current }),
    });
  };

  const refused = (reply: FastifyReply, given: TaskRefused): FastifyReply => {
    const { refusal, message, problems = [], candidates, current, retryAt } = given;
    if (retryAt !== undefined) void reply.header('retry-after', secondsUntil(retryAt, now()));
    if (wantsOutcome(reply.request)) return refusedInWords(reply, given);
    if (problems.length > 0)
      return wrong(
        reply,
        problems.map((each) => ({ field: snakeCase(each.field), code: 'malformed', allowed: each.message })),
      );
    const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
    if (isProblem(refusal))
      return sendProblem(reply, config.baseUrl, refusal, {
        detail,
        ...(candidates && { candidates }),
        ...(current && { current }),
      });
    return sendProblem(reply, config.baseUrl, 'change-refused', { code: refusal, detail });
  };

  acceptJsonAs(app, mergePatch);
  const patched = new Set(entities.filter(patchInput).map((about) => templateOf(addressOf(about))));
  app.addHook('onSend', (request, reply, payload, done) => {
    const answers = request.method === 'PATCH' ? [200, 405, 415] : [200, 405];
    const isNamed = patched.has(request.routeOptions.url ?? '') && answers.includes(reply.statusCode);
    if (isNamed) void reply.header('accept-patch', acceptPatch);
    done(null, payload);
  });

  for (const about of entities) {
    const properties = patchInput(about);
    const handlers = new Map<string, { methods: Record<string, Handler>; inputs: Task['input'][] }>();
    const add = (url: string, method: string, handler: Handler, input: Task['input'] | null = null) => {
      const { methods, inputs } = handlers.get(url) ?? { methods: {}, inputs: [] };
      handlers.set(url, {
        methods: { ...methods, [method]: handler },
        inputs: [...inputs, ...(input ? [input] : [])],
      });
    };
    add(listAddressOf(about), 'GET', list(about));
    add(addressOf(about), 'GET', show(about));
    if (properties) {
      const act: Do = (request, { services, context }) => patch(services, about, request, context);
      const body = bodyOf(properties);
      add(addressOf(about), 'PATCH', change({ about, body, act }), properties);
    }
    for (const part of about.parts ?? []) add(`${addressOf(about)}/${part.name}`, 'GET', listOf(about, part));
    for (const task of tasksOf(about)) {
      const act: Do = (request, { services, context }) => perform(services, about, task, request, context);
      const { rules = [] } = task;
      const place = placeOf(about, task);
      const { url, method, input } = place;
      const handler = task.isRead
        ? read(about, task, place)
        : change({ about, body: bodyAt(about, task, place), rules, task, place, act });
      add(url, method, handler, input);
    }
    for (const [url, { methods, inputs }] of handlers)
      path(app, paths, url, methods, refuse, limitsOf(inputs));
  }
};

const limitsOf = (inputs: readonly Task['input'][]) => {
  const bodyLimit = bodyLimitOf(...inputs);
  return bodyLimit === null ? {} : { bodyLimit };
};

/** A 401 would be about the caller's token, and not about one that the task names. */
const isProblem = (code: string): code is ProblemKind =>
  code in problemKinds && problemKinds[code as ProblemKind].status !== 401;

const inAddress = (request: FastifyRequest, place: Place | undefined): Json =>
  Object.fromEntries(
    Object.entries(place?.inAddress ?? {}).map(([name, field]) => [field, pathId(request, name)]),
  );

/** Whether the caller wants the words that the command line prints, too (RFC 7240: a preference of ours). */
const prefersOutcome = ({ headers: { prefer } }: FastifyRequest): boolean =>
  [prefer ?? []].flat().some((sent) => sent.split(',').some((one) => one.trim() === 'outcome'));

const malformedIfMatch: InputProblem = {
  field: 'If-Match',
  code: 'malformed',
  allowed: '*, or ETags of earlier answers with commas between them, as "12"',
};

/** A tag, an empty element or the comma between two (RFC 9110 §5.6.1, §8.8.3). */
const tagInList = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y;

/**
 * The revisions that the caller saw (RFC 9110 §13.1.1); null without the header, or with `*`. A tag that a proxy has made weak, because it
 * compresses, counts; those that are not ours match nothing.
 */
export const ifMatchOf = ({
  headers,
}: Pick<FastifyRequest, 'headers'>): readonly bigint[] | null | 'malformed' => {
  const sent = headers['if-match'];
  if (sent === undefined || sent.trim() === '*') return null;
  const revisions: bigint[] = [];
  for (tagInList.lastIndex = 0; tagInList.lastIndex < sent.length;) {
    const found = tagInList.exec(sent);
    if (!found) return 'malformed';
    if (/^\d{1,18}$/.test(found[1] ?? '')) revisions.push(BigInt(found[1] ?? ''));
  }
  return revisions;
};

const etagOf = (revision: bigint | null) => (revision === null ? {} : { etag: `"${revision}"` });
