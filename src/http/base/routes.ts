import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Paths } from '../openapi/describe.ts';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** The handlers of a path. `GET` also answers `HEAD` unless `head: false`. */
export type PathMethods = Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS', Handler>>;

/**
 * Registers a documented path with a handler for each of its operations; every other method gets 405 with `Allow`,
 * before any body is read.
 * @param _described its entries in the document: an unknown path, or another set of methods, does not compile
 * @param refuse writes the body of the 405 in the form of the scope (problem, OAuth error or page)
 */
export const path = <P extends Paths, Url extends keyof P & string>(
  app: FastifyInstance,
  _described: P,
  url: Url,
  methods: { readonly [M in keyof P[Url]]: Handler },
  refuse: Handler,
  options?: PathOptions,
): void => undescribedPath(app, templateOf(url), methods, refuse, options);

/** Fastify's syntax: a colon begins a parameter, a double colon is a literal one. */
const templateOf = (url: string): string => url.replaceAll(':', '::').replace(/\{(\w+)\}/g, ':$1');

type PathOptions = {
  readonly head?: boolean;
  /** Of its bodies, in bytes; by default the server's. */
  readonly bodyLimit?: number;
};

/** The same for paths that are not in the document. */
export const undescribedPath = (
  app: FastifyInstance,
  url: string,
  methods: PathMethods,
  refuse: Handler,
  { head = true, ...limits }: PathOptions = {},
): void => {
  const offered: string[] = [];
  for (const [method, handler] of Object.entries(methods)) {
    offered.push(method);
    const withHead = method === 'GET' && head;
    if (withHead) offered.push('HEAD');
    app.route({ method: method as HTTPMethods, url, handler, exposeHeadRoute: withHead, ...limits });
  }
  const allow = offered.join(', ');
  const answer: Handler = (request, reply) => refuse(request, reply.code(405).header('allow', allow));
  app.route({
    method: app.supportedMethods.filter((method) => !offered.includes(method)) as HTTPMethods[],
    url,
    onRequest: async (request, reply) => {
      await answer(request, reply);
      return reply;
    },
    handler: answer,
  });
};
