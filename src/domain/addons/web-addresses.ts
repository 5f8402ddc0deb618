import { type SnakeCase, snakeCase } from '../kernel/snake-case.ts';

/** Addresses of an add-on that people see. All that is done with each follows from this list, but for its texts. */
export const webAddresses = ['website', 'privacyUrl', 'supportUrl'] as const;
export type WebAddress = (typeof webAddresses)[number];

export const eachWebAddress = <T>(of: (name: WebAddress) => T) =>
  Object.fromEntries(webAddresses.map((name) => [name, of(name)])) as { readonly [K in WebAddress]: T };

/** The same, under the names of the API. */
export const eachSentAddress = <T>(of: (name: SnakeCase<WebAddress>, property: WebAddress) => T) =>
  Object.fromEntries(webAddresses.map((name) => [snakeCase(name), of(snakeCase(name), name)])) as {
    readonly [K in SnakeCase<WebAddress>]: T;
  };
