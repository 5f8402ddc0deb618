import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from '../browser.ts';
import { expectThat, type Narrator } from '../narrator.ts';
import { known, type Story } from '../cast.ts';

export const signIn = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  const { baseUrl, browser, email, password, organizationId } = state;
  const address = `${baseUrl}/admin/organizations/${organizationId}`;
  tell.sent(`GET ${address}`);
  const page = await browser.open(address);
  tell.received(`${page.status} page "${page.heading}" at ${page.url.pathname}`);
  tell.sent(`POST the form: ${email} and the password`);
  const addonsPage = await browser.press(page, 'Sign in', { 'E-mail address': email, Password: password });
  tell.received(`${addonsPage.status} page "${addonsPage.heading}", with a session cookie`);
  expectThat(addonsPage.status === 200, `signing in ended at ${addonsPage.url.pathname}`);
  expectThat(
    addonsPage.url.href === address,
    `the browser is at ${addonsPage.url.href}, not back at ${address}`,
  );
  return { addonsPage };
};

export const activate = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  let addonsPage = known(state, 'addonsPage');
  if (deactivateLink(addonsPage, state.clientId) !== null) {
    await deactivateByHand(state.browser, addonsPage, state.clientId);
    addonsPage = await state.browser.open(addonsPage.url.href);
    tell.note('It is active already, so the demo deactivates it first.');
  }
  return { addonsPage, ...(await pressActivate(state, addonsPage, tell)) };
};

/** Presses Activate and checks that the browser is sent on to the add-on (AC-01). */
export const pressActivate = async (state: Story, page: Page, tell: Narrator): Promise<Partial<Story>> => {
  const button = buttonOf(page, state.clientId, 'Activate');
  expectThat(button !== null, `the page "${page.heading}" has no button to activate ${state.clientId}`);
  tell.sent(`POST the form of the button "${button}"`);
  const addonPage = await state.browser.press(page, button ?? '');
  const [redirect] = addonPage.redirects;
  expectThat(
    redirect?.status === 303,
    `no 303 to the add-on, but ${addonPage.status} "${addonPage.heading}"`,
  );
  const handedOff = new URL(redirect?.location ?? '').searchParams.get('organization') ?? '';
  expectThat(handedOff === state.organizationId, `the hand-off names "${handedOff}"`);
  const address = redirect?.location.replace(/\?.*/, `?activation_hint=…&organization=${handedOff}`);
  tell.received(`303 to the add-on's configuration URL ${address}`);
  return { handedOff };
};

const lists = ['active', 'available', 'deactivated'] as const;

/** That list of an organization's add-ons which has this one. @param address of the organization's page */
export const openListOf = async (browser: Browser, address: string, clientId: string): Promise<Page> => {
  for (const list of lists) {
    const page = await browser.open(`${address}?list=${list}`);
    if (deactivateLink(page, clientId) !== null || buttonOf(page, clientId, 'Activate') !== null) return page;
  }
  return browser.open(address);
};

/** What was changed is shown a moment later: the page is opened until it shows it, for half a minute at most. */
export const openUntil = async (
  browser: Browser,
  address: string,
  isShown: (page: Page) => boolean,
): Promise<Page> => {
  for (let tried = 0; ; tried += 1) {
    const page = await browser.open(address);
    if (isShown(page) || tried === 60) return page;
    await delay(500);
  }
};

/** The organization's page, once it shows this add-on as active. */
export const openActive = (browser: Browser, address: string, clientId: string): Promise<Page> =>
  openUntil(browser, address, (page) => deactivateLink(page, clientId) !== null);

/** The label of a button of this add-on's own form; null when the page has none. */
export const buttonOf = (page: Page, clientId: string, verb: 'Activate' | 'Deactivate'): string | null => {
  const form = page.forms.find(({ action }) => action.endsWith(`/addons/${clientId}/${verb.toLowerCase()}`));
  return form?.controls.find(({ type }) => type === 'submit')?.label ?? null;
};

/** The link for deactivating this add-on; null if it is not active. */
export const deactivateLink = (page: Page, clientId: string): URL | null => {
  const link = new RegExp(`<a [^>]*href="([^"]*/addons/${clientId}/deactivate)"`).exec(page.html)?.[1];
  return link === undefined ? null : new URL(link, page.url);
};

/**
 * Follows the link, reads what will stop, and presses the button. @returns both pages, the confirmation and the receipt,
 * and when the button was pressed (milliseconds since the Unix epoch)
 */
export const deactivateByHand = async (
  browser: Browser,
  addonsPage: Page,
  clientId: string,
): Promise<{ readonly question: Page; readonly receipt: Page; readonly pressedAt: number }> => {
  const link = deactivateLink(addonsPage, clientId);
  if (link === null)
    throw new Error(`the page "${addonsPage.heading}" has no link to deactivate ${clientId}`);
  const question = await browser.open(link.href);
  const button = buttonOf(question, clientId, 'Deactivate');
  if (button === null)
    throw new Error(`the page "${question.heading}" has no button to deactivate ${clientId}`);
  const pressedAt = Date.now();
  return { question, receipt: await browser.press(question, button), pressedAt };
};
