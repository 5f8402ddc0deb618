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
