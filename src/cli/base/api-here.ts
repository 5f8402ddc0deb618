import type { IncomingHttpHeaders } from 'node:http';
import type { InjectOptions } from 'fastify';
import type { OperatorTokenHolder } from '../../commands/people/tokens/read-operator-token.ts';
import { composeAudits } from '../../compose/audits.ts';
import { breakGlass } from '../../domain/kernel/actor.ts';
import { buildOperatorApp } from '../../http/operator/operator-app.ts';
import { importWith } from '../../kafka/import/import-with.ts';
import type { Services } from '../../tasks/task.ts';
import { ImportStopped } from '../import/import-stopped.ts';
import { apiOver, type Api, type Meanwhile } from './api.ts';
import type { CliService } from './service.ts';

/**
 * The API in this process, on the servers of the settings: requests are injected, and no token is sent, as the keys of these servers say
 * who acts. What a request throws is thrown to the command. One request is made at a time.
 */
export const apiHere = (service: CliService, signal: AbortSignal): Api => {
  let now: { readonly meanwhile: Meanwhile; failure?: { readonly cause: unknown } } = { meanwhile: {} };
  const holder = holderOf(service);
  const services = servicesOf(service);
  const audits = composeAudits({ ...service, services });
  const app = buildOperatorApp(
    {
      services,
      audits: {
        ask: (question, parameters, asking) =>
          audits.ask(question, parameters, { ...asking, ...now.meanwhile, signal }),
        export: (parameters, asking) => audits.export(parameters, { ...asking, ...now.meanwhile, signal }),
      },
      beginOnce: service.beginOnce,
      browser: { config: { baseUrl: service.baseUrl }, now: () => Date.now() },
      commands: { readOperatorToken: () => Promise.resolve({ ok: true, value: holder }) },
      importBatch: async (resource, batch, context) => {
        const result = await importWith(service.commands, resource, { ...batch, ...now.meanwhile }, context);
        if (result.stopped) throw new ImportStopped(result);
        return result;
      },
      isShown: (position) =>
        service.settle(position, { ...now.meanwhile, signal, patience: 3, atMostMs: Infinity }),
    },
    (cause) => (now.failure ??= { cause }),
  );
  return apiOver({
    isHere: true,
    send: async ({ method, path, headers, body, meanwhile }) => {
      const current: typeof now = (now = { meanwhile });
      const options: InjectOptions & { readonly payloadAsStream: true } = {
        method: method as NonNullable<InjectOptions['method']>,
        url: path,
        headers: { ...headers, authorization: 'Bearer here', traceparent: service.context.traceparent },
        payloadAsStream: true,
        ...(body !== undefined && { payload: body as Buffer }),
      };
      const response = await app.inject(options);
      if (current.failure) throw current.failure.cause;
      const { statusCode: status, headers: answered } = response;
      return { status, headers: answered as IncomingHttpHeaders, body: bodyOf(response.stream(), current) };
    },
    notJson: ({ status }) => new Error(`the API answered ${status} without JSON`),
    close: () => service.close(),
  });
};

/** @throws what ended it early */
async function* bodyOf(
  body: AsyncIterable<Buffer>,
  current: { readonly failure?: { readonly cause: unknown } },
): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw current.failure ? current.failure.cause : error;
  }
}

const holderOf = ({ actor: { by, user } }: CliService): OperatorTokenHolder =>
  user ?? {
    userId: by,
    name: breakGlass,
    roles: ['operator'],
    sessionId: null,
    tokenId: null,
    expiresAt: null,
  };

/** What tasks use, from a run of the command line. */
const servicesOf = (service: CliService): Services => ({
  commands: service.commands,
  store: service.store,
  readModels: service.readModels,
  readsCountedSince: () => service.audit.reads.countedSince(),
  deliverLink: service.deliverLink,
  signals: service.signals,
  providers: service.providers,
  settle: (position) => service.settle(position),
});
