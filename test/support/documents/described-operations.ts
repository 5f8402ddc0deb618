import type { FastifyInstance } from 'fastify';
import type { Method } from '../../../src/http/openapi/describe.ts';
import type { OpenApiDocument } from '../../../src/http/openapi/document.ts';

/** What `/openapi.json` serves. */
export const documentOf = async (app: FastifyInstance): Promise<OpenApiDocument> => {
  await app.ready();
  return app.swagger() as unknown as OpenApiDocument;
};

/** Each operation of the document, with its method and the template of its address. */
export const describedOperations = async (app: FastifyInstance) =>
  Object.entries((await documentOf(app)).paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase() as Method,
      template,
      operation,
    })),
  );
