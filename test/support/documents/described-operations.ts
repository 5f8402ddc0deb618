import { describeRoutes } from '../../../src/http/describe-routes.ts';
import type { Method, Operation } from '../../../src/http/openapi/describe.ts';

/** Each operation that is described, with its method and the template of its address. */
export const describedOperations = (
  issuer = 'https://market.example',
): readonly { readonly method: Method; readonly template: string; readonly operation: Operation }[] =>
  Object.entries(describeRoutes({ issuer })).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method as Method,
      template,
      operation,
    })),
  );
