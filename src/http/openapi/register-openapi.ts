import type { FastifyInstance } from 'fastify';
import type { DocsDependencies } from '../docs/dependencies.ts';
import { describeRoutes } from '../describe-routes.ts';
import { openApiDocument, withoutPages, type OpenApiDocument } from './document.ts';
import { madeOnce, sendDocumentAt, type Documented } from './send-document.ts';

/** The OpenAPI document of this interface. */
export const makeDocument = ({
  config,
  version,
}: Pick<DocsDependencies, 'config' | 'version'>): (() => Documented<OpenApiDocument>) =>
  madeOnce(config, () => {
    const { baseUrl, issuer, secureCookies } = config;
    return openApiDocument(withoutPages(describeRoutes(config)), { baseUrl, issuer, secureCookies, version });
  });

/** `/openapi.json` for the HTTP interface, `/asyncapi.json` for the Kafka interface. */
export const registerDocuments = (
  app: FastifyInstance,
  { config, version, asyncApi }: DocsDependencies,
  documented: () => Documented,
): void => {
  sendDocumentAt(app, '/openapi.json', config, documented);
  sendDocumentAt(
    app,
    '/asyncapi.json',
    config,
    madeOnce(config, () => asyncApi({ baseUrl: config.baseUrl, issuer: config.issuer, version })),
  );
};
