/** Follows redirects as a browser does, with the cookies that it is given. */
export const makeBrowser = () => {
  const cookies = new Map<string, string>();
  return {
    cookies,
    /** @returns where the page redirects to @throws if it does not */
    follow: async (from: URL): Promise<URL> => {
      const answer = await fetch(from, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      const body = await answer.text();
      if (location === null) throw new Error(`${from.pathname} answered ${answer.status}: ${body}`);
      return new URL(location, from);
    },
  };
};
