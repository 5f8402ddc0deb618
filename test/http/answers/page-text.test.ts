import { expect, test } from 'vitest';
import type { Scope } from '../../../src/domain/access/scope.ts';
import { tokenMadePage } from '../../../src/http/account/views/tokens.ts';
import { approvalPage, type ApprovalView } from '../../../src/http/oauth/authorize/views/approval-page.ts';
import { messagePage } from '../../../src/http/pages/message-page.ts';
import { markup } from '../../../src/http/pages/html.ts';
import { makeReader } from '../../../src/http/words/reader.ts';
import { brandView } from '../../../src/http/pages/brand-view.ts';
import { eachWebAddress } from '../../../src/domain/addons/web-addresses.ts';

const reader = makeReader();

test('CL-08: a name that was stored before is shown with what it hides, and turns nothing around', () => {
  const expiresAt = '2026-05-03T16:20:05Z';
  const name = 'Door\u202Ecnyd\u200B<';
  const page = tokenMadePage({ base: '', reader, signedIn: 'Ada', name, expiresAt, token: 'mkt_x' });
  expect(page).toContain('<bdi>Door\uFFFDcnyd\uFFFD&lt;</bdi>');
  expect(page).not.toMatch(/[\u202E\u200B]/);
  expect(messagePage({ base: '', reader, title: 'Two', message: 'two\nlines' })).toContain('two\nlines');
});

test('what an add-on will be able to do is a heading only over something to list', () => {
  const view: ApprovalView = {
    base: '',
    interaction: 'i',
    reader,
    brand: brandView(null),
    addonLogo: null,
    publisher: null,
    verified: false,
    registeredAt: Date.parse('2026-05-03T16:20:05Z'),
    ...eachWebAddress(() => null),
    lasts: { unused: 30 * 86_400, most: 365 * 86_400 },
    addonName: 'Door',
    destination: 'door.example',
    signedIn: 'Ada',
    email: 'ada@harbour.example',
    mayBeAnother: false,
    scopes: [],
    isForOwnApi: false,
    resourceServers: [],
    subjects: [{ key: 'user', name: 'Ada', kind: 'user', justActivated: false, newScopes: null }],
    notActivated: [],
    canBeActivated: false,
  };
  const nothing = approvalPage(view);
  expect(nothing).toContain('It gets no access to records.');
  expect(nothing).not.toContain('<h2>');
  const something = approvalPage({ ...view, scopes: ['openid'] });
  expect(something).not.toContain('It gets no access to records.');
  expect(something).toContain('<h2>It will be able to</h2>');
  const lines = (scopes: readonly Scope[]) =>
    approvalPage({ ...view, scopes }).match(/(?<=<li><svg.*?<\/svg><span>)[^<]+/g);
  expect(lines(['openid']), 'FX-24').toEqual(['Recognize you: an identifier of your account']);
  expect(lines(['openid', 'profile', 'email']), 'FX-24: a line for each').toEqual([
    'Recognize you: an identifier of your account',
    'See your name',
    'See your e-mail address',
  ]);
  expect(approvalPage({ ...view, scopes: ['openid', 'email'] })).toContain('wants to know who you are.');
});

test('PG-14: the one stylesheet has less than 20 kB, also with the colours of a brand', () => {
  const colors = { color: '#b4501e', onColor: '#ffffff', light: '#b4501e', dark: '#e4905e' };
  const none = {
    logo: null,
    icon: null,
    supportUrl: null,
    supportEmail: null,
    termsUrl: null,
    privacyUrl: null,
  };
  const brand = { ...none, name: 'Harbour', accent: colors, mailFromName: null };
  for (const each of [null, brand])
    expect(Buffer.byteLength(brandView(each).stylesheet.text)).toBeLessThan(20_000);
});

test('CL-08: markup escapes every value, joins lists, and leaves out what is missing', () => {
  const name = `"><b>'&\u202E`;
  expect(markup`<p title="${name}">${[name, markup`<i>${1}</i>`]}${null}${false}</p>`.html).toBe(
    '<p title="&quot;&gt;&lt;b&gt;&#39;&amp;\uFFFD">&quot;&gt;&lt;b&gt;&#39;&amp;\uFFFD<i>1</i></p>',
  );
});
