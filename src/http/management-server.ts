import type { FastifyInstance } from 'fastify';
import { makeBaseServer, type BaseNeeds } from './base-server.ts';

/** Health checks and scrapers: a few, of the operator's own. */
const managementConnections = 64;

/** The server of `MANAGEMENT_PORT`, without routes: `buildServer` gives it those that are for operators only. */
export const buildManagementServer = (needs: BaseNeeds): FastifyInstance =>
  makeBaseServer(needs, managementConnections).app;
