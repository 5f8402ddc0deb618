import type { FastifyInstance } from 'fastify';

/** Every address of a server and its methods, without those that only answer 405; read from the tree that Fastify prints. */
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
