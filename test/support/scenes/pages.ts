import type { FastifyInstance, LightMyRequestResponse } from 'fastify';

/** A form of a page. */
export type PageForm = {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly buttons: readonly { readonly name: string; readonly value: string; readonly label: string }[];
  /** Values of each group of radio buttons. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
};

/** A browser without scripts on top of `inject`: it keeps cookies and submits only forms that exist on the page. */
export type TestBrowser = {
  readonly cookies: Map<string, string>;
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  post(url: string, fields: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
  /** Submits the form with this button, like a click. */
  press(
    page: LightMyRequestResponse,
    button: string,
    fields?: Readonly<Record<string, string>>,
  ): Promise<LightMyRequestResponse>;
  /** Follows redirects on this server. */
  follow(answer: LightMyRequestResponse): Promise<LightMyRequestResponse>;
  signIn(email: string, password: string): Promise<void>;
};

/** Deletes the cookies whose names begin so. */
export const forgetCookie = ({ cookies }: Pick<TestBrowser, 'cookies'>, name: string): void => {
  for (const each of cookies.keys()) if (each.startsWith(name)) cookies.delete(each);
};

/** Where the browser appears to be: the peer of its connection, and headers of every request. */
export type Whereabouts = {
  readonly remoteAddress?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** How somebody signs in without the page for it: where there is none, and where nothing depends on it. @returns cookies */
export const signInsByCommand = new WeakMap<
  FastifyInstance,
  (email: string, password: string) => Promise<Readonly<Record<string, string>>>
>();

export const testBrowser = (
  app: FastifyInstance,
  from: Whereabouts = {},
  /** Shared if another instance answers the same browser. */
  cookies = new Map<string, string>(),
): TestBrowser => {
  const keep = (answer: LightMyRequestResponse) => {
    for (const { name, value, maxAge } of answer.cookies as readonly Cookie[])
      if (value === '' || maxAge === 0) cookies.delete(name);
      else cookies.set(name, value);
    return answer;
  };
  const sent = () => Object.fromEntries(cookies);
  const self: TestBrowser = {
    cookies,
    get: async (url, headers = {}) =>
      keep(
        await app.inject({
          ...from,
          method: 'GET',
          url,
          cookies: sent(),
          headers: { ...from.headers, ...headers },
        }),
      ),
    post: async (url, fields) =>
      keep(
        await app.inject({
          ...from,
          method: 'POST',
          url,
          cookies: sent(),
          headers: { ...from.headers, 'content-type': 'application/x-www-form-urlencoded' },
          payload: new URLSearchParams(fields).toString(),
        }),
      ),
    press: (page, label, fields = {}) => {
      const form = formsOf(page.body).find(({ buttons }) => buttons.some((button) => button.label === label));
      const button = form?.buttons.find((candidate) => candidate.label === label);
      if (!form || !button) throw new Error(`no button "${label}" on: ${page.statusCode} ${page.body}`);
      const own = button.name === '' ? {} : { [button.name]: button.value };
      return self.post(form.action, { ...form.fields, ...own, ...fields });
    },
    follow: async (answer) => {
      let last = answer;
      while (last.statusCode === 303 && last.headers.location?.startsWith('/'))
        last = await self.get(last.headers.location);
      return last;
    },
    signIn: async (email, password) => {
      const byCommand = signInsByCommand.get(app);
      if (byCommand) await app.ready();
      if (byCommand && !app.hasRoute({ method: 'GET', url: '/sign-in' }))
        return Object.entries(await byCommand(email, password)).forEach(([name, value]) =>
          cookies.set(name, value),
        );
      const signedIn = await self.press(await self.get('/sign-in'), 'Sign in', { email, password });
      if (signedIn.statusCode !== 303) throw new Error(`sign-in answered ${signedIn.statusCode}`);
    },
  };
  return self;
};

type Cookie = { readonly name: string; readonly value: string; readonly maxAge?: number };

export const formsOf = (html: string): readonly PageForm[] =>
  [...html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action = '', inner = '']) => {
    const inputs = [...inner.matchAll(/<input([^>]*)>/g)].map(([, attributes = '']) => ({
      type: attribute(attributes, 'type'),
      name: attribute(attributes, 'name'),
      value: attribute(attributes, 'value'),
      checked: / checked/.test(attributes),
    }));
    const radios = inputs.filter(({ type }) => type === 'radio');
    // Without a preselected choice, take the first one.
    const isFirstOfAll = (input: (typeof inputs)[number]) =>
      input === radios.find(({ name }) => name === input.name) &&
      !radios.some(({ name, checked }) => name === input.name && checked);
    const filled = inputs.filter(
      (input) => !['checkbox', 'radio'].includes(input.type) || input.checked || isFirstOfAll(input),
    );
    return {
      action: unescape(action),
      fields: Object.fromEntries(filled.map(({ name, value }) => [name, value])),
      choices: Object.fromEntries(
        radios.map(({ name }) => [
          name,
          radios.filter((radio) => radio.name === name).map(({ value }) => value),
        ]),
      ),
      buttons: [...inner.matchAll(/<button([^>]*)>([^<]*)<\/button>/g)].map(
        ([, attributes = '', label = '']) => ({
          name: attribute(attributes, 'name'),
          value: attribute(attributes, 'value'),
          label: attribute(attributes, 'aria-label') || unescape(label),
        }),
      ),
    };
  });

const attribute = (attributes: string, name: string): string =>
  unescape(new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');

const unescape = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The text of a page's main part as a reader meets it. */
export const words = (html: string): string =>
  html
    .replace(/^.*<main[^>]*>|<\/main>.*$/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
