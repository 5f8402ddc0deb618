import type { FastifyReply } from 'fastify';

/** An answer in JSON that nobody keeps. @param headers besides its type, e.g. `link` or `etag` */
export const sendJson = <Body extends object>(
  reply: FastifyReply,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): FastifyReply =>
  reply
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers })
    .send(JSON.stringify(body));

/** Whether `If-None-Match` has this tag, weakly: a compressing proxy has made it weak (RFC 9110 §13.1.2). */
export const isSameTag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
