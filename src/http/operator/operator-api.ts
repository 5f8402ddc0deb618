import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { entities } from '../../administration/entities.ts';
import { bodyLimitOf, bodyOf, readInput, type InputProblem } from '../../administration/fields.ts';
import { patch, patchInput } from '../../administration/patch.ts';
import { perform, revisionOf, type Performed } from '../../administration/perform.ts';
import {
  listPart,
  type Entity,
  type Json,
  type Part,
  type Task,
  type TaskRefused,
} from '../../administration/task.ts';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { ParameterError } from '../contracts/problem.ts';
import type { ParameterTable } from '../contracts/parameters.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { queryOf } from '../requests/params.ts';
import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import { path, type Handler } from '../base/routes.ts';
import { sendJson } from '../answers/send-json.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { addressOf, listQuery, operatorApiPaths, pageQuery, unknownOf } from './api-paths.ts';
import { makeOperatorsOnly } from './operators-only.ts';
import { plainQuery } from './plain-query.ts';

export const registerOperatorApi = (app: FastifyInstance, dependencies: OperatorDependencies): void => {
  const {
    services,
    browser: { config },
  } = dependencies;
  const guarded = makeOperatorsOnly(dependencies);
  const problem = (request: FastifyRequest, reply: FastifyReply, kind: ProblemKind) =>
    sendProblem(request, reply, config.baseUrl, kind);
  const unknown = (
    request: FastifyRequest,
    reply: FastifyReply,
    { name, noun = name, plural, filters }: Entity,
  ) =>
    sendProblem(request, reply, config.baseUrl, unknownOf({ name }), {
      detail: `There is no ${noun} with this id. GET /operator/api/${plural}${'search' in filters.shape ? '?search=NAME' : ''} finds ${plural}`,
    });
  const wrong = (request: FastifyRequest, reply: FastifyReply, problems: readonly InputProblem[]) =>
    sendProblem(request, reply, config.baseUrl, 'invalid-parameters', {
      errors: problems.map(({ field, code, allowed }): ParameterError => ({
        parameter: field,
        code,
        allowed,
      })),
    });
  const refuse: Handler = (request, reply) => problem(request, reply, 'method-not-allowed');

  const list = (about: Entity): Handler =>
    guarded(async (request, reply) => {
      const read = readInput(listQuery(about), plainQuery(listQuery(about), queryOf(request)));
      if (!read.ok) return wrong(request, reply, read.problems);
      const {
        limit,
        after = null,
        ...filters
      } = read.value as Json & {
        readonly limit: number;
        readonly after?: string;
      };
      return sendJson(reply, await about.list(services, filters, { after, limit }));
    });

  const listOf = (about: Entity, part: Part): Handler =>
    guarded(async (request, reply) => {
      const read = readInput(pageQuery, plainQuery(pageQuery, queryOf(request)));
      if (!read.ok) return wrong(request, reply, read.problems);
      const { limit, after = null } = read.value as { readonly limit: number; readonly after?: string };
      const found = await listPart(services, about, part, idOf(about, request), { after, limit });
      return found === null ? unknown(request, reply, about) : sendJson(reply, found);
    });

  const show = (about: Entity): Handler =>
    guarded(async (request, reply) => {
      const id = idOf(about, request);
      const json = await about.show(services, id);
      return json === null
        ? unknown(request, reply, about)
        : sendJson(reply, json, etagOf(await revisionOf(services, about, id)));
    });

  type Do = (
    request: { readonly id: string; readonly input: Json; readonly shownAt?: bigint },
    context: CommandContext,
  ) => Promise<Performed>;

  const change = (about: Entity, input: ParameterTable, act: Do, id: (request: FastifyRequest) => string) =>
    guarded(async (request, reply, context) => {
      const body = readInput(bodyOf(input), request.body ?? {});
      const shownAt = ifMatchOf(request);
      const problems = [
        ...(body.ok ? [] : body.problems),
        ...(shownAt === 'malformed' ? [malformedIfMatch] : []),
      ];
      if (!body.ok || shownAt === 'malformed') return wrong(request, reply, problems);
      const { reason, ...fields } = body.value as Json & { readonly reason?: string };
      const done = await act(
        { id: id(request), input: fields, ...(shownAt !== null && { shownAt }) },
        { ...context, ...(reason !== undefined && { reason }) },
      );
      if (!done.ok) return refused(request, reply, done);
      const etag = etagOf(await revisionOf(services, about, done.id));
      if (!prefersOutcome(request)) return sendJson(reply, done.json, etag);
      const { text, changed, json } = done;
      return sendJson(reply, { ...json, _outcome: { text, changed } }, etag);
    });

  /** As the command line says it. */
  const refusedInWords = (
    request: FastifyRequest,
    reply: FastifyReply,
    { refusal: code, message: detail, problems }: TaskRefused,
  ): FastifyReply => {
    const kind = code in problemKinds ? (code as ProblemKind) : 'change-refused';
    const errors = problems?.map(({ field, message: allowed }): ParameterError => ({
      parameter: field,
      code: 'malformed',
      allowed,
    }));
    const isWrong = errors !== undefined && errors.length > 0;
    return sendProblem(request, reply, config.baseUrl, isWrong ? 'invalid-parameters' : kind, {
      code,
      detail,
      ...(errors && { errors }),
    });
  };

  const refused = (
    request: FastifyRequest,
    reply: FastifyReply,
    { refusal, message, ...given }: TaskRefused,
  ): FastifyReply => {
    if (prefersOutcome(request)) return refusedInWords(request, reply, { refusal, message, ...given });
    const { problems = [] } = given;
    if (problems.length > 0)
      return wrong(
        request,
        reply,
        problems.map((each) => ({ field: snakeCased(each.field), code: 'malformed', allowed: each.message })),
      );
    const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
    if (refusal in problemKinds)
      return sendProblem(request, reply, config.baseUrl, refusal as ProblemKind, { detail });
    return sendProblem(request, reply, config.baseUrl, 'change-refused', { code: refusal, detail });
  };

  for (const about of entities) {
    const ofAddress = (request: FastifyRequest) => idOf(about, request);
    const doTask =
      (task: Task): Do =>
      (request, context) =>
        perform(services, about, task, request, context);
    const properties = patchInput(about);
    const patched =
      properties &&
      change(about, properties, (request, context) => patch(services, about, request, context), ofAddress);
    path(app, operatorApiPaths, `/operator/api/${about.plural}`, { GET: list(about) }, refuse);
    path(
      app,
      operatorApiPaths,
      addressOf(about),
      { GET: show(about), ...(patched && { PATCH: patched }) },
      refuse,
      limitsOf(properties),
    );
    for (const part of about.parts ?? [])
      path(app, operatorApiPaths, `${addressOf(about)}/${part.name}`, { GET: listOf(about, part) }, refuse);
    for (const task of about.tasks)
      path(
        app,
        operatorApiPaths,
        `${addressOf(about)}/${task.name}`,
        { POST: change(about, task.input, doTask(task), ofAddress) },
        refuse,
        limitsOf(task.input),
      );
    for (const task of about.making ?? [])
      path(
        app,
        operatorApiPaths,
        `/operator/api/${about.plural}/${task.name}`,
        { POST: change(about, task.input, doTask(task), () => '') },
        refuse,
      );
  }
};

const limitsOf = (input: Task['input'] | null) => {
  const bodyLimit = input && bodyLimitOf(input);
  return bodyLimit === null ? {} : { bodyLimit };
};

const idOf = ({ idKey }: Entity, request: FastifyRequest): string =>
  (request.params as Partial<Record<string, string>>)[idKey] ?? '';

/** Whether the caller wants the words that the command line prints, too (RFC 7240: a preference of ours). */
const prefersOutcome = ({ headers: { prefer } }: FastifyRequest): boolean =>
  [prefer ?? []].flat().some((sent) => sent.split(',').some((one) => one.trim() === 'outcome'));

const snakeCased = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const malformedIfMatch: InputProblem = {
  field: 'If-Match',
  code: 'malformed',
  allowed: 'one ETag of an earlier answer, as "12"',
};

/** The revision that the caller saw (RFC 9110 §13.1.1); null without the header, or with `*`. */
const ifMatchOf = ({ headers }: FastifyRequest): bigint | null | 'malformed' => {
  const sent = headers['if-match'];
  if (sent === undefined || sent === '*') return null;
  const [, revision] = /^"(\d{1,18})"$/.exec(sent) ?? [];
  return revision === undefined ? 'malformed' : BigInt(revision);
};

const etagOf = (revision: bigint | null) => (revision === null ? {} : { etag: `"${revision}"` });
