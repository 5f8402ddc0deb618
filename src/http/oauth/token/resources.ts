import { audienceOf, ownApi } from '../../../domain/access/audience.ts';
import { normalUrl } from '../../../common/normal-url.ts';
import type { Params } from '../../requests/params.ts';

const absolute = /^[a-z][a-z0-9+.-]*:/i;

/** Whether it is a valid resource indicator (RFC 8707 §2, AZ-22). */
export const isTarget = (resource: string): boolean =>
  absolute.test(resource) && URL.canParse(resource) && !resource.includes('#') && resource.length <= 2048;

/** The resource indicators that were sent (RFC 8707 §2), without duplicates; our own API has an internal name. */
export const resourcesOf = (params: Params, baseUrl: string): readonly string[] =>
  withOwnApi(
    (params.get('resource') ?? []).filter((resource) => resource !== ''),
    baseUrl,
  );

/** Recognizes our own API by its base URL, with or without a slash at the end, however a client spells it. */
export const withOwnApi = (resources: readonly string[], baseUrl: string): readonly string[] => [
  ...new Set(resources.map((resource) => (normalUrl(resource) === baseUrl ? ownApi : resource))),
];

/** The audiences of an authorization request; our own API if it names none. */
export const audiencesOf = (resources: readonly string[], baseUrl: string): readonly string[] =>
  audienceOf(withOwnApi(resources, baseUrl));

/** The audiences that are other servers. */
export const foreignIn = (audiences: readonly string[]): readonly string[] =>
  audiences.filter((audience) => audience !== ownApi);

/** The resources of a token as everybody else calls them. */
export const addressesOf = (resources: readonly string[], baseUrl: string): string[] =>
  audienceOf(resources).map((resource) => (resource === ownApi ? baseUrl : resource));

/** The `aud` of a token (RFC 7662 §2.2): a string if there is only one. */
export const audOf = (resources: readonly string[], baseUrl: string): string | string[] => {
  const addresses = addressesOf(resources, baseUrl);
  return addresses.length === 1 ? (addresses[0] ?? baseUrl) : addresses;
};
