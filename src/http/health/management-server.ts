import type { FastifyInstance } from 'fastify';
import { makeBaseServer, type BaseServerDependencies } from '../requests/base-server.ts';

/** Enough for health checks and scrapers of the operator. */
const managementConnections = 64;

/** The server of `MANAGEMENT_PORT`, without routes: `buildServer` adds the routes that are only for operators. */
export const buildManagementServer = (dependencies: BaseServerDependencies): FastifyInstance =>
  makeBaseServer(dependencies, managementConnections).app;
