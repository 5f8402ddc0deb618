import type { HttpConfig } from '../../../src/http/base/dependencies.ts';
import { realStore, startHttpApp, type HttpApp } from '../scenes/http-app.ts';

/** The whole HTTP side with real parts, on a port of its own: for third-party clients and browsers. */
export const startListeningApp = async (): Promise<HttpApp> => {
  let baseUrl = 'http://127.0.0.1';
  const http = await startHttpApp({
    store: await realStore(),
    around: (needs) => ({ ...needs, config: lateAddress(needs.config, () => baseUrl) }),
  });
  baseUrl = await http.app.listen({ port: 0, host: '127.0.0.1' });
  return { ...http, baseUrl };
};

/** The address is known only once the server listens. */
export const lateAddress = (config: HttpConfig, address: () => string): HttpConfig => ({
  ...config,
  get baseUrl() {
    return address();
  },
  get issuer() {
    return address();
  },
});
