import type { FastifyRequest } from 'fastify';

/**
 * Whether a browser is showing the answer to a person, who is then sent on to the redirect URI (S3): it says so
 * itself, or it would rather have HTML than JSON.
 */
export const isBrowserNavigation = ({ headers }: FastifyRequest): boolean => {
  if (headers['sec-fetch-mode'] === 'navigate') return true;
  const { accept } = headers;
  return accept?.includes('text/html') === true && quality(accept, 'html') > quality(accept, 'json');
};

const quality = (accept: string, subtype: 'html' | 'json'): number => {
  const wanted = subtype === 'html' ? ['text/html'] : ['application/json', 'application/*', '*/*'];
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, q: q === undefined ? 1 : Number(q.slice(2)) || 0 };
  });
  const matching = wanted.map((type) => ranges.find((range) => range.type === type)).find(Boolean);
  return matching?.q ?? 0;
};
