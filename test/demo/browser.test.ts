import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeBrowser } from '../../demo/browser.ts';
import { formsOf, headingOf } from '../../demo/html-forms.ts';
import { shortSecret, tellStory } from '../../demo/narrator.ts';

const signIn = `<!doctype html><h1>Sign&nbsp;in &amp; go</h1>
<form method="post" action="/sign-in?x=1">
<input type="hidden" name="interaction" value="a&amp;b&#39;&quot;">
<label class="field" for="email">E-mail <b>address</b></label>
<input type="email" id="email" name="email" value="" required>
<label>Keep me <input type=checkbox name=keep value=yes checked></label>
<label class="choice"><input type="radio" name="subject" value="org" checked><span>Harbour</span></label>
<label class="choice"><input type="radio" name="subject" value="me"><span>Me</span></label>
<button type="submit" name="decision" value="approve">Allow</button>
<button type="submit" name="decision" value="deny" aria-label="Do not allow it">No</button>
</form>`;

describe('the forms of a page', () => {
  test('have their controls in order, with the labels that a person reads', () => {
    expect(formsOf(signIn)).toEqual([
      {
        action: '/sign-in?x=1',
        method: 'post',
        controls: [
          { name: 'interaction', value: `a&b'"`, type: 'hidden', checked: false, label: '' },
          { name: 'email', value: '', type: 'email', checked: false, label: 'E-mail address' },
          { name: 'keep', value: 'yes', type: 'checkbox', checked: true, label: 'Keep me' },
          { name: 'subject', value: 'org', type: 'radio', checked: true, label: 'Harbour' },
          { name: 'subject', value: 'me', type: 'radio', checked: false, label: 'Me' },
          { name: 'decision', value: 'approve', type: 'submit', checked: false, label: 'Allow' },
          { name: 'decision', value: 'deny', type: 'submit', checked: false, label: 'Do not allow it' },
        ],
      },
    ]);
  });
});

test('a name in a sentence parts no words', () => {
  expect(headingOf('<h1>Allow <bdi>Door &amp; Gate</bdi>?</h1>')).toBe('Allow Door & Gate?');
});

describe('the demo browser', () => {
  const seen: { method: string; url: string; cookie: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, cookie: headers.cookie, body });
      if (url === '/page') {
        response.setHeader('set-cookie', [
          'browser=1; Path=/; HttpOnly',
          'gone=1; Path=/',
          'else=1; Path=/elsewhere',
        ]);
        response.end(signIn);
      } else if (url.startsWith('/sign-in')) {
        const cookies = ['gone=; Path=/; Max-Age=0', 'safe=1; Path=/; Secure', 'session=a=b; Path=/'];
        response.writeHead(303, { location: 'done?ok=1', 'set-cookie': cookies }).end();
      } else if (url.startsWith('/loop')) response.writeHead(302, { location: '/loop' }).end();
      else response.end('<h1>Done</h1>');
    });
  });
  let base = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  test('submits what the form holds, follows the redirect, and keeps cookies as their sender asked', async () => {
    const browser = makeBrowser();
    const page = await browser.press(await browser.open(`${base}/page`), 'Allow', {
      'E-mail address': 'a+b@c.d',
    });
    expect(page).toMatchObject({
      status: 200,
      heading: 'Done',
      redirects: [{ status: 303, location: 'done?ok=1' }],
    });
    expect(page.url.href).toBe(`${base}/done?ok=1`);
    expect(seen).toEqual([
      { method: 'GET', url: '/page', cookie: undefined, body: '' },
      {
        method: 'POST',
        url: '/sign-in?x=1',
        cookie: 'browser=1; gone=1',
        body: 'interaction=a%26b%27%22&email=a%2Bb%40c.d&keep=yes&subject=org&decision=approve',
      },
      { method: 'GET', url: '/done?ok=1', cookie: 'browser=1; session=a=b', body: '' },
    ]);
  });

  test('says which button or field is not on the page', async () => {
    const browser = makeBrowser();
    const page = await browser.open(`${base}/page`);
    await expect(browser.press(page, 'Agree')).rejects.toThrow('no button "Agree"');
    await expect(browser.press(page, 'Allow', { Name: 'x' })).rejects.toThrow('no field "Name"');
  });

  test('does not redirect endlessly', async () => {
    await expect(makeBrowser().open(`${base}/loop`)).rejects.toThrow('more than 10 redirects');
  });
});

describe('a story', () => {
  test('hands on what its steps found out, and is true when all of them did what they say', async () => {
    const lines: string[] = [];
    const steps = [
      { title: 'Find', run: () => Promise.resolve({ found: 'mkt_at_AbCdEfGhIjKlMnOp' }) },
      {
        title: 'Use',
        run: ({ found }: { found: string }, tell: { sent: (text: string) => void }) => {
          tell.sent(`with ${shortSecret(found)}`);
          return Promise.resolve({});
        },
      },
    ];
    expect(await tellStory(steps, { found: '' }, (line) => lines.push(line))).toBe(true);
    expect(lines).toEqual(['\n1. Find', '\n2. Use', '   → with mkt_at_AbCd…MnOp']);
  });

  test('ends at the step that fails, and names it', async () => {
    const lines: string[] = [];
    const steps = [
      { title: 'Break', run: () => Promise.reject(new Error('it did not')) },
      { title: 'Never', run: () => Promise.resolve({}) },
    ];
    expect(await tellStory(steps, {}, (line) => lines.push(line))).toBe(false);
    expect(lines).toEqual(['\n1. Break', '   ✗ step 1 (Break) failed: it did not']);
  });
});

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
};
