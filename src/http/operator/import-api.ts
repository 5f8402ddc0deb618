import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { readInput, type InputProblem } from '../../tasks/fields.ts';
import { organizations } from '../../tasks/organizations.ts';
import { parsePosition, positionText } from '../../audit/timeline/position-text.ts';
import type { KeyedBatch } from '../../commands/records/record.ts';
import { recordResources, type RecordResource } from '../../domain/records/record-resources.ts';
import { sendJson } from '../answers/send-json.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { UnacceptableRequest } from '../answers/failures.ts';
import { path, type Handler } from '../base/routes.ts';
import { scope } from '../base/scopes.ts';
import { importQuery, shownQuery, type Imported, type Shown } from '../contracts/import.ts';
import { pathId, queryOf } from '../requests/params.ts';
import type { OperatorApiDependencies } from './dependencies.ts';
import { keyOf, makeAnswerOnce, malformedKey } from '../tasks/idempotency-key.ts';
import { importPathOf, importPaths, mostLines, mostOfImport } from './import-paths.ts';
import { makeOperatorsOnly } from './operators-only.ts';
import { plainQuery } from '../tasks/plain-query.ts';

/** Records of the host platform over the API: in batches, or, from the same process, as they come. */
export const registerImportApi = (
  app: FastifyInstance,
  dependencies: OperatorApiDependencies,
  comes: 'in-batches' | 'as-stream',
): void => {
  const { services, importBatch, isShown, browser } = dependencies;
  const { baseUrl } = browser.config;
  const guarded = makeOperatorsOnly(dependencies);
  const answerOnce = makeAnswerOnce(dependencies);
  const refuse = methodNotAllowed(baseUrl);
  const wrong = (problems: readonly InputProblem[]) => ({
    errors: problems.map(({ field, code, allowed }) => ({ parameter: field, code, allowed })),
  });

  const importOne = (resource: RecordResource): Handler =>
    guarded(async (request, reply, context) => {
      const read = readInput(importQuery, plainQuery(importQuery, queryOf(request)));
      const key = keyOf(request);
      const problems = [...(read.ok ? [] : read.problems), ...(key === 'malformed' ? [malformedKey] : [])];
      if (!read.ok || problems.length > 0)
        return sendProblem(reply, baseUrl, 'invalid-parameters', wrong(problems));
      const { body } = request;
      const bytes = body instanceof Buffer ? body : Buffer.alloc(0);
      if (linesOf(bytes) > mostLines)
        throw new UnacceptableRequest('too-large', `At most ${mostLines} lines are imported at once`);
      const organizationId = pathId(request, 'organization_id');
      if ((await organizations.show(services, organizationId)) === null)
        return sendProblem(reply, baseUrl, 'organization-unknown');
      const { first_line: firstLine } = importQuery.parse(read.value);
      const store = async (keyed?: KeyedBatch): Promise<Imported> => {
        const input = body instanceof Readable ? piecesOf(body) : Readable.from([bytes]);
        const batch = { organizationId, input, firstLine, ...(keyed && { keyed }) };
        const { counts, position, stopped } = await importBatch(resource, batch, context);
        if (stopped) throw stopped.cause;
        return { ...counts, position: position && positionText(position) };
      };
      if (key === null) return sendJson(reply, await store());
      const account = context.acting?.actor ?? '';
      const sent = [request.method, request.url, bytes.toString('latin1')].join('\n');
      const made = await answerOnce<never>(reply, { account, key, sent }, async ({ once, isRepeat }) => {
        const id = once.bytes(16).toString('hex');
        return { status: 200, headers: {}, json: await store({ id, isRepeat }) };
      });
      return made === null ? reply : sendJson(reply, made.json);
    });

  const shown = guarded(async (request, reply) => {
    const read = readInput(shownQuery, plainQuery(shownQuery, queryOf(request)));
    if (!read.ok) return sendProblem(reply, baseUrl, 'invalid-parameters', wrong(read.problems));
    const position = parsePosition(shownQuery.parse(read.value).position);
    return sendJson<Shown>(reply, { shown: position !== null && (await isShown(position)) });
  });

  path(app, importPaths, '/operator/api/shown', { GET: shown }, refuse);
  void app.register(
    scope((place) => {
      place.removeAllContentTypeParsers();
      const take = (_request: unknown, body: unknown, done: (error: null, body: unknown) => void) =>
        done(null, body);
      if (comes === 'as-stream') place.addContentTypeParser('application/x-ndjson', take);
      else place.addContentTypeParser('application/x-ndjson', { parseAs: 'buffer' }, take);
      for (const resource of recordResources)
        path(place, importPaths, importPathOf(resource.path), { POST: importOne(resource) }, refuse, {
          bodyLimit: mostOfImport,
        });
    }),
  );
};

/** An import that stops early destroys no request, as it is still answered. */
const piecesOf = (body: Readable): AsyncIterable<Buffer> => body.iterator({ destroyOnReturn: false });

const linesOf = (bytes: Buffer): number => {
  let lines = 1;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
};
