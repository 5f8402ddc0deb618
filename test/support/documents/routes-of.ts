import type { FastifyInstance } from 'fastify';

/** All paths of a server with their methods, except those that only answer 405; parsed from Fastify's printed tree. */
export const routesOf = async (app: FastifyInstance): Promise<readonly string[]> => {
  await app.ready();
  const prefixes: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .map((line) => /^([│├└─\s]*)(\S.*) \(/.exec(line))
    .filter((match) => match !== null)
    .map(([, indent = '', part = '']) => {
      const depth = indent.length / 4 - 1;
      prefixes[depth] = part;
      return prefixes.slice(0, depth + 1).join('');
    })
    .map((url) => url.replace(/^\/(?=\/)/, ''))
    .toSorted();
};
