export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** It has no link of its own: a mail with a newer link is none in its place. */
  readonly isNotice?: boolean;
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
      readonly tokenSubject: (host: string) => string;
      readonly token: (host: string) => string;
      readonly tokenUntil: (until: string) => string;
      readonly tokenUnexpected: string;
      readonly tokenButton: string;
    };
  };
  readonly zonedMomentOf: (time: number) => string;
};

export type LinkMail = {
  /** `forgot`: somebody asked for it at the sign-in; `reset`: an operator made it; `token`: somebody else made one for the account. */
  readonly kind: 'invitation' | 'reset' | 'forgot' | 'token';
  readonly name: string;
  readonly email: string;
  readonly link: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
  readonly baseUrl: string;
  /** Null: Grantbook's own. */
  readonly brand: MailBrand | null;
  readonly reader: MailReader;
};

/** What a mail shows of the platform's brand (PG-01). */
export type MailBrand = {
  readonly name: string;
  readonly accent: { readonly color: string; readonly onColor: string } | null;
};

const ownAccent = { color: '#14595b', onColor: '#ffffff' };

/** What a person reads who is to choose a password, or has got a token, and why it came. It names the service and nobody else. */
export const linkMail = ({ kind, name, email, link, expiresAt, baseUrl, reader, brand }: LinkMail): Mail => {
  const { words, zonedMomentOf } = reader;
  const { mail, tag } = words;
  const { host } = new URL(baseUrl);
  const place = brand === null ? host : `${brand.name} (${host})`;
  const about = kind === 'forgot' ? 'reset' : kind;
  const subject = mail[`${about}Subject`](place);
  const button = kind === 'token' ? mail.tokenButton : mail.button;
  const before = [mail.hello(name), mail[kind](place)];
  const after = [
    (kind === 'token' ? mail.tokenUntil : mail.once)(zonedMomentOf(expiresAt)),
    (kind === 'invitation' ? mail.invitationWhy : mail.resetWhy)(place),
    mail[`${about}Unexpected`],
  ];
  const accent = brand?.accent ?? ownAccent;
  const paragraphs = (texts: readonly string[]) =>
    texts.map((text) => `<p style="margin:0 0 16px">${escaped(text)}</p>`).join('\n');
  return {
    to: email,
    isNotice: kind === 'token',
    subject,
    text: [...before, link, ...after, ''].join('\n\n'),
    html: `<!doctype html>
<html lang="${escaped(tag)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escaped(subject)}</title></head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
<div style="max-width:512px;margin:0 auto">
<p style="margin:0 0 24px;padding-bottom:12px;border-bottom:3px solid ${accent.color};font-weight:bold">${escaped(brand?.name ?? host)}</p>
${paragraphs(before)}
<p style="margin:24px 0"><a href="${escaped(link)}" style="display:inline-block;padding:10px 20px;border-radius:8px;background:${accent.color};color:${accent.onColor};font-weight:bold;text-decoration:none">${escaped(button)}</a></p>
<p style="margin:0 0 24px;font-size:13px;word-break:break-all">${escaped(link)}</p>
${paragraphs(after)}
</div>
</body>
</html>
`,
  };
};

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
