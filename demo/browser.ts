import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { makeCookieJar } from './cookie-jar.ts';
import { type Control, type Form, formsOf, headingOf } from './html-forms.ts';

export type Page = {
  readonly url: URL;
  readonly status: number;
  readonly heading: string;
  readonly forms: readonly Form[];
  readonly html: string;
  /** All redirects that led here: status and target. */
  readonly redirects: readonly { readonly status: number; readonly location: string }[];
};

export type Browser = {
  open(url: string): Promise<Page>;
  /** Fills in the fields by their labels and presses the button, like a person. */
  press(page: Page, button: string, fields?: Readonly<Record<string, string>>): Promise<Page>;
};

const maxRedirects = 10;

/**
 * A browser for pages without scripts: keeps cookies, follows redirects, submits the forms of a page. It does not use
 * `fetch`, which identifies itself as no navigation, and a page may check that.
 */
export const makeBrowser = (): Browser => {
  const jar = makeCookieJar();

  const navigate = async (first: Navigation): Promise<Page> => {
    const redirects: { status: number; location: string }[] = [];
    let next: Navigation = first;
    while (redirects.length <= maxRedirects) {
      const answer = await send(next, jar.header(next.url));
      jar.keep(next.url, answer.headers['set-cookie'] ?? []);
      const status = answer.statusCode ?? 0;
      const { location } = answer.headers;
      const html = await bodyOf(answer);
      if (status < 300 || status >= 400 || location === undefined) {
        return { url: next.url, status, heading: headingOf(html), forms: formsOf(html), html, redirects };
      }
      redirects.push({ status, location });
      next = { url: new URL(location, next.url), method: 'GET', from: next.url };
    }
    throw new Error(`more than ${maxRedirects} redirects, the last to ${redirects.at(-1)?.location}`);
  };

  return {
    open: (url) => navigate({ url: new URL(url), method: 'GET' }),
    press: async (page, button, fields = {}) => navigate(submission(page, button, fields)),
  };
};

type Navigation = {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly from?: URL;
  readonly body?: string;
};

const submission = (page: Page, button: string, fields: Readonly<Record<string, string>>): Navigation => {
  const isIt = (control: Control) => control.type === 'submit' && control.label === button;
  const form = page.forms.find(({ controls }) => controls.some(isIt));
  const pressed = form?.controls.find(isIt);
  if (form === undefined || pressed === undefined) {
    throw new Error(`the page "${page.heading}" (${page.status}) has no button "${button}"`);
  }
  const entries = new URLSearchParams();
  for (const control of form.controls) {
    const value = valueOf(control, pressed, form, fields);
    if (value !== null && control.name !== '') entries.append(control.name, value);
  }
  const missing = Object.keys(fields).filter((label) =>
    form.controls.every((control) => control.label !== label),
  );
  if (missing.length > 0)
    throw new Error(`the page "${page.heading}" has no field "${missing.join('", "')}"`);
  const url = new URL(form.action, page.url);
  if (form.method === 'post') return { url, method: 'POST', from: page.url, body: entries.toString() };
  url.search = entries.toString();
  return { url, method: 'GET', from: page.url };
};

/** The value that a control adds to the form; null for none. */
const valueOf = (
  control: Control,
  pressed: Control,
  form: Form,
  fields: Readonly<Record<string, string>>,
): string | null => {
  if (control.type === 'submit') return control === pressed ? control.value : null;
  if (control.type === 'checkbox') return control.checked ? control.value : null;
  if (control.type === 'radio') return control === chosenOf(form, control.name) ? control.value : null;
  return fields[control.label] ?? control.value;
};

/** If none is preselected, the first one. */
const chosenOf = ({ controls }: Form, group: string): Control | undefined => {
  const choices = controls.filter(({ type, name }) => type === 'radio' && name === group);
  return choices.find(({ checked }) => checked) ?? choices[0];
};

const send = (navigation: Navigation, cookie: string | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { url, method, from, body } = navigation;
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method,
      headers: {
        accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
        'accept-language': 'en',
        'user-agent': 'Grantbook demo (a browser without scripts)',
        'sec-fetch-dest': 'document',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-site': siteOf(url, from),
        ...(cookie === undefined ? {} : { cookie }),
        ...(body === undefined
          ? {}
          : { origin: from?.origin ?? url.origin, 'content-type': 'application/x-www-form-urlencoded' }),
      },
    });
    request.once('response', resolve);
    request.once('error', reject);
    request.end(body);
  });

const siteOf = (url: URL, from: URL | undefined): string =>
  from === undefined ? 'none' : from.origin === url.origin ? 'same-origin' : 'same-site';

const bodyOf = async (answer: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};
