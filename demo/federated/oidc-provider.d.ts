/** The few names of the package that are used here; it comes without types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: {
        readonly login: {
          readonly accountId: string;
          readonly acr?: string;
          readonly amr?: readonly string[];
        };
      },
    ): Promise<void>;
  }
}
