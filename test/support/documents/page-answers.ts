import type { LightMyRequestResponse } from 'fastify';

/** On every answer of our own pages (AZ-08), and on redirects between them. */
const always = {
  'cache-control': /^no-store(, no-transform)?$/,
  'content-security-policy': /^default-src 'none'; /,
  'x-frame-options': /^DENY$/,
  'referrer-policy': /^no-referrer$/,
  'x-content-type-options': /^nosniff$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'permissions-policy': /camera=\(\)/,
} as const;

const sometimes = [
  'cross-origin-opener-policy',
  'retry-after',
  'set-cookie',
  'strict-transport-security',
  'content-encoding',
  'vary',
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
];

const neededBy: Readonly<Record<number, string>> = {
  303: 'location',
  405: 'allow',
  429: 'retry-after',
  503: 'retry-after',
};

const statuses = [200, 303, 400, 401, 403, 404, 405, 409, 413, 415, 417, 429, 500, 501, 502, 503];

/** A file that a page links to: a browser saves it, and never shows it. */
const isFile = ({ statusCode, headers }: LightMyRequestResponse): boolean =>
  statusCode === 200 &&
  headers['content-disposition'] === 'attachment' &&
  /^(?:text\/csv|application\/x-ndjson); charset=utf-8/.test(String(headers['content-type']));

/** The one rule for answers of our own pages, which are in no document. @returns what differs, one line each */
export const pageWrong = (answer: LightMyRequestResponse): readonly string[] => {
  const { statusCode, headers, body } = answer;
  const ofFile = isFile(answer) ? ['content-disposition'] : [];
  const needed = neededBy[statusCode];
  return [
    ...(statuses.includes(statusCode) ? [] : ['a page does not answer this status']),
    ...Object.entries(always)
      .filter(([name, value]) => !value.test(String(headers[name])))
      .map(([name]) => `the header ${name} is "${String(headers[name])}"`),
    ...(needed !== undefined && headers[needed] === undefined ? [`the header ${needed} is missing`] : []),
    ...Object.keys(headers)
      .filter((name) => !(name in always) && ![...sometimes, ...ofFile].includes(name) && name !== needed)
      .map((name) => `a page does not send the header ${name}`),
    ...(body === '' || isFile(answer) || headers['content-type'] === 'text/html; charset=utf-8'
      ? []
      : ['it is no page']),
  ];
};
