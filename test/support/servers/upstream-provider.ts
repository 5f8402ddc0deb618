import { type PlatformProvider, startPlatformProvider } from '../../../demo/federated/platform-provider.ts';

export { clientSecret } from '../../../demo/federated/platform-provider.ts';

export type UpstreamProvider = PlatformProvider & {
  /** A browser's cookies at the provider. */
  newVisitor(): Visitor;
};

type Visitor = {
  /**
   * Follows redirects and presses the only button of each page, until the browser is sent elsewhere. @returns there; empty after a
   * sign-out that stays there
   */
  visit(url: string): Promise<string>;
};

/** `oidc-provider` as the platform's identity provider. */
export const startUpstreamProvider = async (): Promise<UpstreamProvider> => {
  const provider = await startPlatformProvider();
  return { ...provider, newVisitor: () => ({ visit: makeVisit(provider.issuer) }) };
};

const makeVisit = (issuer: string): Visitor['visit'] => {
  const cookies = new Map<string, string>();
  const ask = async (url: string, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return async (url) => {
    let answer = await ask(url);
    for (let steps = 0; steps < 12; steps += 1) {
      const location = answer.headers.get('location');
      if (location !== null) {
        const next = new URL(location, issuer).href;
        if (!next.startsWith(issuer)) return next;
        answer = await ask(next);
        continue;
      }
      const html = await answer.text();
      if (html.includes('Sign-out Success')) return '';
      const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
      if (action === undefined)
        throw new Error(`the provider answered ${answer.status}: ${html.slice(0, 600)}`);
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
      answer = await ask(new URL(action, issuer).href, { xsrf, logout: 'yes' });
    }
    throw new Error('the provider sends the browser round in circles');
  };
};
