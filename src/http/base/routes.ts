import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, HTTPMethods } from 'fastify';
import type { Operation, Paths } from '../openapi/describe.ts';

type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** `before` runs before the body is read; it answers whoever may not send one. */
export type Handler = Handle & {
  readonly before?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
};

/** Of a check: the caller who is admitted, the answer to one who is not, or undefined: check again once the body is read. */
type Admission<Caller> = { readonly caller: Caller } | FastifyReply | undefined;

/** A handler for those whom `check` admits, before their body is read: strangers could fill the memory with theirs (FX-88). */
export const admitting = <Caller extends object>(
  check: (request: FastifyRequest, reply: FastifyReply, isRead: boolean) => Promise<Admission<Caller>>,
  act: (caller: Caller, request: FastifyRequest, reply: FastifyReply) => unknown,
): Handler => {
  const admitted = new WeakMap<FastifyRequest, { readonly caller: Caller }>();
  const before: Handler['before'] = async (request, reply) => {
    const admission = await check(request, reply, false);
    if (admission && 'caller' in admission) admitted.set(request, admission);
    else return admission;
  };
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const admission = admitted.get(request) ?? (await check(request, reply, true));
    return admission && 'caller' in admission ? act(admission.caller, request, reply) : reply;
  };
  return Object.assign(handle, { before });
};

/** The handlers of a path. `GET` also answers `HEAD` unless `head: false`. */
type PathMethods = Partial<Record<Exclude<(typeof anyOffered)[number], 'HEAD'>, Handler>>;

type PathOptions = {
  readonly head?: boolean;
  /** Of its bodies, in bytes; by default the server's. */
  readonly bodyLimit?: number;
};

/**
 * Registers a documented path with a handler for each operation; other methods get 405 and `Allow`, by `refuse`, before a body is read.
 * A path or set of methods that `described` lacks does not compile.
 */
export const path = <P extends Paths, Url extends keyof P & string>(
  app: FastifyInstance,
  described: P,
  url: Url,
  methods: { readonly [M in keyof P[Url]]: Handler },
  refuse: Handler,
  options?: PathOptions,
): void => {
  const operations: Readonly<Record<string, Operation>> = described[url] ?? {};
  const ofAddress = Object.values(operations);
  register(app, url, methods, refuse, options, (method) => ({ operation: operations[method], ofAddress }));
};

/** The same for what is in no document: our own pages, their forms, and assets. */
export const pagePath = (
  app: FastifyInstance,
  url: string,
  methods: PathMethods,
  refuse: Handler,
  options?: PathOptions,
): void => register(app, url, methods, refuse, options, () => undefined);

const register = (
  app: FastifyInstance,
  template: string,
  methods: PathMethods,
  refuse: Handler,
  { head = true, ...limits }: PathOptions = {},
  schemaOf: (method: string) => FastifySchema | undefined,
): void => {
  const url = templateOf(template);
  const offered: string[] = [];
  for (const [method, handler] of Object.entries(methods)) {
    offered.push(method);
    const withHead = method === 'GET' && head;
    if (withHead) offered.push('HEAD');
    const schema = schemaOf(method);
    app.route({
      method: method as HTTPMethods,
      url,
      handler,
      ...(handler.before && { onRequest: handler.before }),
      exposeHeadRoute: withHead,
      ...limits,
      ...(schema && { schema }),
    });
  }
  refuseOthers(app, url, offered, refuse);
};

/** Of these some path offers one. */
const anyOffered = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** The route of all methods that no path offers, as a route for each takes memory and time to start. */
const others = 'TRACE';

/** Routes a request as `others` if no path offers its method, and gives it back for what comes after routing. */
export const routedMethods = () => {
  const offered: ReadonlySet<string> = new Set(anyOffered);
  const sent = new WeakMap<IncomingMessage, string>();
  return {
    route: (request: IncomingMessage): void => {
      if (request.method === undefined || offered.has(request.method)) return;
      sent.set(request, request.method);
      request.method = others;
    },
    restore: (request: IncomingMessage): void => {
      if (request.method === others) request.method = sent.get(request) ?? others;
    },
  };
};

/** Answers every method that is not offered with 405, before any body is read. */
export const refuseOthers = (
  app: FastifyInstance,
  url: string,
  offered: readonly string[],
  refuse: Handler,
): void => {
  const allow = offered.join(', ');
  const answer: Handler = (request, reply) => refuse(request, reply.code(405).header('allow', allow));
  app.route({
    method: [...anyOffered, others].filter((method) => !offered.includes(method)),
    url,
    onRequest: async (request, reply) => {
      await answer(request, reply);
      return reply;
    },
    handler: answer,
  });
};

/** Fastify's syntax: a colon begins a parameter, a double colon is a literal one. */
export const templateOf = (url: string): string => url.replaceAll(':', '::').replace(/\{(\w+)\}/g, ':$1');
