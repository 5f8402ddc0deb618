export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

export type LinkMail = {
  readonly kind: 'invitation' | 'reset';
  readonly name: string;
  readonly email: string;
  readonly link: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  readonly baseUrl: string;
};

/** What a person reads who is to choose a password. It names the service and nobody else. */
export const linkMail = ({ kind, name, email, link, expiresAt, baseUrl }: LinkMail): Mail => {
  const host = new URL(baseUrl).host;
  const why =
    kind === 'invitation'
      ? `You have an account at ${host}. Choose a password to sign in.`
      : `Somebody who administers ${host} has started a new password for your account. Choose one to sign in.`;
  const unexpected =
    kind === 'invitation'
      ? 'If you did not expect this mail, ignore it: without the link nobody can use the account.'
      : 'If you did not expect this mail, ignore it: your password stays as it is.';
  return {
    to: email,
    subject: kind === 'invitation' ? `Your account at ${host}` : `Choose a new password at ${host}`,
    text: [
      `Hello ${name},`,
      why,
      link,
      `The link works once, until ${new Date(expiresAt).toUTCString().replace('GMT', 'UTC')}. Nobody will ever ask you for it.`,
      unexpected,
      '',
    ].join('\n\n'),
  };
};
