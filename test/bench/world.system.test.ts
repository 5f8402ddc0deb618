import { expect, onTestFinished, test } from 'vitest';
import { startWorld } from '../../bench/world.ts';

test('FX-22: the bench measures an authorization without a page: its approval names the choice that the page had', async () => {
  const world = await startWorld({ records: 1 });
  onTestFinished(() => world.close());
  const answer = await fetch(`${world.baseUrl}${world.authorizePath}`, {
    headers: { cookie: world.cookie },
    redirect: 'manual',
  });
  expect(answer.status).toBe(303);
  expect(new URL(answer.headers.get('location') ?? '').searchParams.get('code')).toBeTruthy();
});
