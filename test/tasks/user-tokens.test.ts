import { expect, test } from 'vitest';
import { createToken, tokens } from '../../src/tasks/people/user-tokens.ts';
import type { Services } from '../../src/tasks/task.ts';
import type { LinkToDeliver } from '../../src/mail/deliver-link.ts';
import { marketplace } from '../support/scenes/marketplace.ts';
import { newUser } from '../support/registering.ts';

const open = async () => {
  const market = marketplace();
  const userNamed = async (name: string) =>
    newUser(market, {
      email: `${name}@example.com`,
      name,
      password: 'a long enough password',
      roles: ['operator'],
    });
  const [olive, mia] = [await userNamed('olive'), await userNamed('mia')];
  const mails: LinkToDeliver[] = [];
  let answered: { readonly mailed: boolean | null; readonly problem: string | null } = {
    mailed: true,
    problem: null,
  };
  const services = {
    commands: market,
    store: market.store,
    deliverLink: (mail: LinkToDeliver) => {
      mails.push(mail);
      return Promise.resolve({ link: '', ...answered });
    },
  } as unknown as Services;
  let made = 0;
  const make = async (userId: string, actor: string, tokenId: string | null = null) => {
    const context = {
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      acting: { actor, tokenId },
    };
    const done = await createToken.run(services, userId, { name: `program ${(made += 1)}` }, context);
    if (!done.ok) throw new Error(done.message);
    return { text: done.text, json: done.json as Readonly<Record<string, string | null>> };
  };
  return {
    olive,
    mia,
    mails,
    make,
    answer: (next: typeof answered) => (answered = next),
    list: async (userId: string) =>
      (await tokens.list(services, userId, { limit: 10, after: null }))?.items as readonly object[],
  };
};

test('FX-90: who gets a token from somebody else is told by mail, and the list says by whom', async () => {
  const { olive, mia, mails, make, list } = await open();
  const own = await make(olive, olive);
  expect(own.json).toMatchObject({ made_by: olive, made_with: null, told_by_mail: null });
  expect(mails).toEqual([]);
  const { text, json } = await make(mia, olive, own.json['token_id']);
  expect(mails).toMatchObject([{ kind: 'token', name: 'mia', email: 'mia@example.com', token: null }]);
  expect(JSON.stringify(mails)).not.toContain('mkt_admin_');
  expect(text).toContain('A mail has told the person.');
  expect(json).toMatchObject({ made_by: olive, made_with: own.json['token_id'], told_by_mail: true });
  expect(await list(mia)).toMatchObject([{ made_by: olive, made_with: own.json['token_id'] }]);
});

test('FX-90: whoever makes a token of somebody else with a token made for them is somebody else', async () => {
  const { olive, mia, mails, make } = await open();
  const { json } = await make(mia, olive);
  expect((await make(mia, mia, json['token_id'])).json).toMatchObject({ made_by: mia, told_by_mail: true });
  await make(mia, 'break-glass');
  expect(mails).toHaveLength(3);
});

test('FX-90: where no mail can be sent, the answer says so, and where the person sees it', async () => {
  const { olive, mia, make, answer } = await open();
  answer({ mailed: null, problem: null });
  expect((await make(mia, olive)).text).toContain(
    'The person sees it at /account: no mail server is configured.',
  );
  answer({ mailed: false, problem: 'the mail server refused the mail' });
  const { text, json } = await make(mia, olive);
  expect(text).toContain('The person sees it at /account: the mail server refused the mail.');
  expect(json['told_by_mail']).toBe(false);
});
