import type { HttpApp } from '../scenes/http-app.ts';

type Sent = {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
};

/** The `fetch` of a client library, connected to this server. */
export const fetchThrough =
  ({ app }: Pick<HttpApp, 'app'>, baseUrl: string) =>
  async (url: string, { method = 'GET', headers, body }: Sent): Promise<Response> => {
    const answer = await app.inject({
      method: method as 'GET',
      url: url.replace(baseUrl, ''),
      headers: Object.fromEntries(new Headers(headers)),
      ...(body instanceof URLSearchParams && { payload: body.toString() }),
    });
    return new Response(answer.body, {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
    });
  };
