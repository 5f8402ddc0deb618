import { expect, test } from 'vitest';
import { messagePage } from '../../src/http/pages/message-page.ts';
import { tokenMadePage } from '../../src/http/pages/token-made-page.ts';

test('CL-08: a name that was stored before is shown with what it hides, and turns nothing around', () => {
  const expiresAt = '2026-05-03T16:20:05Z';
  const name = 'Door\u202Ecnyd\u200B<';
  const page = tokenMadePage({ base: '', signedIn: 'Ada', name, expiresAt, token: 'mkt_x' });
  expect(page).toContain('<bdi>Door\uFFFDcnyd\uFFFD&lt;</bdi>');
  expect(page).not.toMatch(/[\u202E\u200B]/);
  expect(messagePage({ base: '', title: 'Two', message: 'two\nlines' })).toContain('two\nlines');
});
