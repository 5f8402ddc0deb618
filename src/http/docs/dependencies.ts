import type { Base } from '../base/dependencies.ts';

/** What the documents of the interfaces use, and the pages made from them. */
export type DocsDependencies = Pick<Base, 'config'> & {
  /** Version of this program. */
  readonly version: string;
  /** The AsyncAPI document: the messages that this service sends and receives over Kafka. */
  readonly asyncApi: (about: {
    readonly baseUrl: string;
    readonly issuer: string;
    readonly version: string;
  }) => object;
};
