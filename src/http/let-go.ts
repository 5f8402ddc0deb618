import type { FastifyInstance } from 'fastify';

/**
 * Closing waits for answers that are under way, and for nothing else. By itself it would also wait for connections that
 * become idle only then, and for those on which a browser has never asked anything: up to minutes.
 */
export const letGoWhenClosing = (app: FastifyInstance): void => {
  let isClosing = false;
  let underWay = 0;
  const letGo = () => {
    if (isClosing && underWay === 0) app.server.closeAllConnections();
  };
  app.addHook('onRequest', (_request, reply, done) => {
    underWay += 1;
    reply.raw.once('close', () => {
      underWay -= 1;
      letGo();
    });
    done();
  });
  app.addHook('preClose', (done) => {
    isClosing = true;
    letGo();
    done();
  });
};
