import type { FastifyInstance } from 'fastify';
import { makeBaseServer, type BaseDependencies } from './base-server.ts';

/** Health checks and scrapers: a few, of the operator's own. */
const managementConnections = 64;

/** The server of `MANAGEMENT_PORT`, without routes: `buildServer` gives it those that are for operators only. */
export const buildManagementServer = (dependencies: BaseDependencies): FastifyInstance =>
  makeBaseServer(dependencies, managementConnections).app;
