import type { FastifyRequest } from 'fastify';

/**
 * Whether a person reads the answer: a browser navigation, or a GET that prefers HTML to JSON. Never with
 * `Authorization`, and never the POST of a program: some (Java's HttpURLConnection) send `text/html` in every request.
 */
export const prefersPage = ({ method, headers }: FastifyRequest): boolean => {
  if (headers.authorization !== undefined) return false;
  if (headers['sec-fetch-mode'] === 'navigate') return true;
  if (method !== 'GET') return false;
  const ranges = acceptedIn(headers.accept ?? '');
  const json = ['application/json', 'application/*', '*/*'].find((type) => ranges.has(type));
  return (ranges.get('text/html') ?? 0) > (json === undefined ? 0 : (ranges.get(json) ?? 0));
};

/** Media ranges with their weights (RFC 9110 §12.5.1). */
const acceptedIn = (accept: string): ReadonlyMap<string, number> =>
  new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return [type, q === undefined ? 1 : Number(q.slice(2)) || 0];
    }),
  );
