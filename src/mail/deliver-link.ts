import type { Post } from './post.ts';
import { linkMail, type LinkMail, type MailBrand, type MailReader } from './texts.ts';

/** Whom a link is for; its token goes nowhere but into the mail and the answer. Null: it leads to the account. */
export type LinkToDeliver = Pick<LinkMail, 'kind' | 'name' | 'expiresAt'> & {
  readonly email: string | null;
  readonly token: string | null;
  /** That the person has chosen, or that of the page where the link was asked for; null: English. */
  readonly language?: string | null;
  /** That the person has chosen; null: UTC. */
  readonly timeZone?: string | null;
};

export type DeliveredLink = {
  readonly link: string;
  /** Whether the mail server has taken the mail; null where no mail server is configured. */
  readonly mailed: boolean | null;
  /** Why it was not sent; without any secret. */
  readonly problem: string | null;
};

export type DeliverLink = (link: LinkToDeliver) => Promise<DeliveredLink>;

/** Where a person chooses a password. */
export const choosePasswordPath = '/choose-password';

/** Sends a link by mail, where a mail server is configured. A mail that fails does not lose the link. */
export const makeDeliverLink =
  (
    post: Pick<Post, 'send'> | null,
    baseUrl: string,
    readerOf: (language: string | null, timeZone: string | null) => MailReader,
    brand: MailBrand | null = null,
  ): DeliverLink =>
  async ({ token, email, language = null, timeZone = null, ...about }) => {
    const link = `${baseUrl}${token === null ? '/account' : `${choosePasswordPath}?link=${token}`}`;
    if (!post) return { link, mailed: null, problem: null };
    if (email === null)
      return { link, mailed: false, problem: 'the e-mail address of the account is not verified' };
    const reader = readerOf(language, timeZone);
    const problem = await post.send(linkMail({ ...about, email, link, baseUrl, reader, brand }));
    return { link, mailed: problem === null, problem };
  };
