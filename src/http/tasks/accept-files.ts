import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UnacceptableRequest } from '../answers/failures.ts';
import type { Params } from '../requests/params.ts';

/** Also accepts forms with files: the value of a file's field is its content in base64, or empty if none was chosen. */
export const acceptFiles = (place: FastifyInstance): void => {
  const parse = (request: FastifyRequest, body: Buffer) =>
    partsOf(request.headers['content-type'] ?? '', body);
  place.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, parse);
};

/** What stands for bytes that are not UTF-8. */
const unread = '\uFFFD';

const partsOf = async (type: string, body: Buffer): Promise<Params> => {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new UnacceptableRequest('malformed-request', 'The body is not multipart/form-data');
    });
  const values = [...form.values()].filter((value) => typeof value === 'string');
  if (values.some((value) => value.includes(unread)) && !body.includes(unread))
    throw new UnacceptableRequest('malformed-request', 'The body is not UTF-8');
  const params = new Map<string, string[]>();
  for (const [name, value] of form) {
    const text =
      typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64');
    params.set(name, [...(params.get(name) ?? []), text]);
  }
  return params;
};
