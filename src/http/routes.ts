import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** What a path can do. `HEAD` comes with `GET` by itself unless `head: false`. */
export type PathMethods = Partial<Record<'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS', Handler>>;

/**
 * Registers a path with its methods; every other method answers 405 with `Allow`, before any body is read.
 * @param refuse writes the body of the 405 in the language of the place (problem, OAuth error or page)
 */
export const path = (
  app: FastifyInstance,
  url: string,
  methods: PathMethods,
  refuse: (request: FastifyRequest, reply: FastifyReply) => unknown,
  { head = true }: { readonly head?: boolean } = {},
): void => {
  const offered: string[] = [];
  for (const [method, handler] of Object.entries(methods)) {
    offered.push(method);
    const withHead = method === 'GET' && head;
    if (withHead) offered.push('HEAD');
    app.route({ method: method as HTTPMethods, url, handler, exposeHeadRoute: withHead });
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
