import type { Browser } from '../base/browser.ts';
import type { Base } from '../base/dependencies.ts';

export type DocsDependencies = Pick<Base, 'config'> & {
  readonly browser: Pick<Browser, 'frame' | 'now' | 'session'>;
  readonly version: string;
  /** The tutorial from which the guide for add-ons is made, in Markdown. */
  readonly readTutorial: () => string;
  /** The AsyncAPI document: the messages that this service sends and receives over Kafka. */
  readonly asyncApi: (about: {
    readonly baseUrl: string;
    readonly issuer: string;
    readonly version: string;
  }) => object;
};
