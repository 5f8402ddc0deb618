import type { FastifyError } from 'fastify';
import { UnacceptableRequest } from './failures.ts';

/** Explanations for errors of the framework about requests that it cannot read. */
const details: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL:
    'The address cannot be decoded: a percent sign is not followed by two hexadecimal digits of UTF-8',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the address is too long',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty, but must be JSON',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not JSON',
  ECONNRESET: 'The connection was closed before the body was complete',
};

/** What is wrong with a request that was refused with a 4xx or a 501; never a value that was sent. */
export const detailOf = (error: unknown): string => {
  if (error instanceof UnacceptableRequest) return error.detail;
  const { code = '', detail } = error as Partial<FastifyError> & { readonly detail?: string };
  return details[code] ?? detail ?? 'The address, a header field or the body breaks the rules of its format';
};
