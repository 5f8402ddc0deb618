import { english } from '../../common/words.ts';

const maxLength = 2048;

/** RFC 3986 §4.3, with exactly its characters: what is compared octet for octet must have only one spelling, and a visible one. */
const absoluteUri = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;

/** What is wrong with a resource indicator that an add-on is to serve, or null (RFC 8707 §2). */
export const audienceProblem = (uri: string): string | null => {
  if (uri.length > maxLength) return english.problems.tooLong(maxLength);
  if (uri.includes('#')) return english.problems.fragment;
  return absoluteUri.test(uri) ? null : english.problems.absolute;
};

/** Our own API among the resources of a grant, whatever address it has. */
export const ownApi = 'urn:grantbook:api';

/** Where a grant may be used: at the resources of its authorization request, or at our own API (RFC 8707 §2). */
export const audienceOf = (resources: readonly string[]): readonly string[] =>
  resources.length === 0 ? [ownApi] : resources;

/** Whether a token request names only granted resources (RT-15); null asks for all of them. */
export const isWithinAudience = (asked: readonly string[] | null, resources: readonly string[]): boolean =>
  asked === null || asked.every((resource) => audienceOf(resources).includes(resource));

/** Where an access token may be used. `among` has a bit for each of the grant's resources. */
export type Audience = { readonly ownApi: boolean; readonly among: number };

/** The audience of a token for these of the grant's resources; null means for all of them. */
export const audienceAmong = (resources: readonly string[], chosen: readonly string[] | null): Audience => {
  const all = audienceOf(resources);
  const bits = all.map((resource, index) => ((chosen ?? all).includes(resource) ? 2 ** index : 0));
  return { ownApi: (chosen ?? all).includes(ownApi), among: bits.reduce((sum, bit) => sum + bit, 0) };
};

/** The names of the resources that a token of this grant is for. */
export const resourcesAmong = (resources: readonly string[], { among }: Audience): readonly string[] =>
  audienceOf(resources).filter((_, index) => Math.floor(among / 2 ** index) % 2 === 1);
