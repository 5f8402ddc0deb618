import type { FastifyPluginCallback } from 'fastify';
import { scope } from '../base/scopes.ts';
import { registerDocuments } from '../openapi/register-openapi.ts';
import type { DocsDependencies } from './dependencies.ts';
import { registerDocs } from './register-docs.ts';

/** The documents of the interfaces, and the pages made from them. */
export const docs = (dependencies: DocsDependencies): FastifyPluginCallback =>
  scope((app) => {
    registerDocuments(app, dependencies);
    registerDocs(app, dependencies);
  });
