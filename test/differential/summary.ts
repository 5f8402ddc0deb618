import { requestsOf, type Difference, type Reviewed } from './compare.ts';
import type { EdgeRequest } from './edge-request.ts';

const percent = (part: number, whole: number): string => `${Math.floor((100 * part) / whole)} %`;

/** How many of these requests show no difference but the ones that are there wherever. */
const agreeing = (
  requests: readonly EdgeRequest[],
  reviewed: readonly Reviewed[],
  seen: readonly Difference[],
): number => {
  const special = reviewed.filter((review) => !isEverywhere(review));
  const differing = new Set(special.flatMap((review) => [...requestsOf(review, seen)]));
  return requests.filter(({ id }) => !differing.has(id)).length;
};

const isEverywhere = ({ seen }: Reviewed): boolean => seen.every(({ requests }) => requests === 'wherever');

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** The text of `test/differential/README.md`: what a run has seen, so that it says what is true. */
export const summaryOf = (
  requests: readonly EdgeRequest[],
  reviewed: readonly Reviewed[],
  seen: readonly Difference[],
): string => {
  const rows = reviewed.map((review) => ({ review, count: requestsOf(review, seen).size }));
  const count = (right: Reviewed['right']) => reviewed.filter((review) => review.right === right).length;
  const endpoints = (['authorize', 'token'] as const).map((endpoint) => {
    const these = requests.filter((request) => request.endpoint === endpoint);
    const agree = agreeing(these, reviewed, seen);
    return row([`/oauth/${endpoint}`, these.length, agree, percent(agree, these.length)]);
  });
  const agree = agreeing(requests, reviewed, seen);
  return `# Compared with oidc-provider

${requests.length} malformed and edge requests are sent to our server and to
[oidc-provider](https://www.npmjs.com/package/oidc-provider), a certified implementation by others. Both have
the same clients, scopes, lifetimes, users and browsers, and the same clock. The test compares: page, redirect or JSON;
status; error; what a page asks; whether a redirect has a code, the unchanged \`state\` and \`iss\`, in which part of the
address, and the exact octets of the redirect URI; \`Cache-Control\`, \`Pragma\`, \`WWW-Authenticate\`, \`Allow\`, CORS; the
members and the scope of a token answer.

| endpoint | requests | agree in everything | |
| --- | --- | --- | --- |
${endpoints.join('\n')}
${row(['both', requests.length, agree, percent(agree, requests.length)])}

The table ignores the ${rows.filter(({ review }) => isEverywhere(review)).length} differences that are in every answer of a
kind (the first rows below). Neither server answered any request with 5xx.

The differences have ${reviewed.length} reasons. By the RFCs our answer is right in ${count('ours')} of them, theirs in
${count('theirs')}; the RFCs leave ${count('both')} to the server. \`test/differential/differences.json\` lists every request and field; the
test fails for a difference that is not listed, and for a listed one that no longer occurs.

| what differs | requests | right | by |
| --- | --- | --- | --- |
${rows.map(({ review, count: affected }) => row([review.name, affected, review.right, review.by.join(', ')])).join('\n')}

## The reasons

${reviewed.map(({ name, why }) => `- **${name}**: ${why}`).join('\n')}

\`npx vitest run test/differential\` repeats the comparison; with \`-u\` it also writes this page.
`;
};
