export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
};

/** The words and times of the person who gets a mail: those of the catalogue of its language. */
export type MailReader = {
  readonly words: {
    readonly tag: string;
    readonly mail: {
      readonly hello: (name: string) => string;
      readonly invitationSubject: (host: string) => string;
      readonly invitation: (host: string) => string;
      readonly invitationWhy: (host: string) => string;
      readonly invitationUnexpected: string;
      readonly resetSubject: (host: string) => string;
      readonly reset: (host: string) => string;
      readonly forgot: (host: string) => string;
      readonly resetWhy: (host: string) => string;
      readonly resetUnexpected: string;
      readonly button: string;
      readonly once: (until: string) => string;
    };
  };
  readonly momentOf: (time: number) => string;
};

export type LinkMail = {
  /** `forgot`: somebody asked for it at the sign-in; `reset`: an operator made it. */
  readonly kind: 'invitation' | 'reset' | 'forgot';
  readonly name: string;
  readonly email: string;
  readonly link: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  readonly baseUrl: string;
  /** The platform's name, where it has a brand (PG-01). */
  readonly brand: string | null;
  readonly reader: MailReader;
};

/** What a person reads who is to choose a password, and why it came. It names the service and nobody else. */
export const linkMail = ({ kind, name, email, link, expiresAt, baseUrl, brand, reader }: LinkMail): Mail => {
  const { words, momentOf } = reader;
  const { mail, tag } = words;
  const { host } = new URL(baseUrl);
  const place = brand === null ? host : `${brand} (${host})`;
  const isInvitation = kind === 'invitation';
  const subject = isInvitation ? mail.invitationSubject(place) : mail.resetSubject(place);
  const before = [mail.hello(name), mail[kind](place)];
  const after = [
    mail.once(momentOf(expiresAt)),
    isInvitation ? mail.invitationWhy(place) : mail.resetWhy(place),
    isInvitation ? mail.invitationUnexpected : mail.resetUnexpected,
  ];
  const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${escaped(text)}</p>`).join('\n');
  return {
    to: email,
    subject,
    text: [...before, link, ...after, ''].join('\n\n'),
    html: `<!doctype html>
<html lang="${escaped(tag)}">
<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body>
${paragraphs(before)}
<p><a href="${escaped(link)}">${escaped(mail.button)}</a></p>
<p>${escaped(link)}</p>
${paragraphs(after)}
</body>
</html>
`,
  };
};

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
