import { createTransport } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Mail } from './texts.ts';

export type MailSettings = {
  /** `smtp://user:password@host:port`, or `smtps://…`. */
  readonly url: string;
  /** The sender, such as `Grantbook <grantbook@example.org>`. */
  readonly from: string;
  /** The host name in the greeting (EHLO). */
  readonly clientName: string;
  /** Certificates in PEM; null: the authorities that Node trusts. */
  readonly ca: string | null;
};

export type MailFailure = {
  /** For operators, without any content, address or secret. */
  readonly problem: string;
  /** The server says that another try may work (RFC 5321 §4.2.1). */
  readonly isTemporary: boolean;
  /** The server works, and takes no mail for this recipient. */
  readonly isOfRecipient: boolean;
};

/** In milliseconds: an operator waits for the answer. */
const patience = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };

/** Sends mails over SMTP. A new connection for each: they are rare. */
export const makeMailer = ({ url, from, clientName, ca }: MailSettings) => {
  const options = () => {
    const { hostname, port, protocol, username, password } = new URL(url);
    const secure = protocol === 'smtps:';
    return {
      name: clientName,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (secure ? 465 : 587),
      secure,
      ...(username !== '' && {
        auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
        // A password is never sent in clear text, except to this machine.
        requireTLS: !secure && !isLoopback(hostname),
      }),
      ...(ca !== null && { tls: { ca } }),
      ...patience,
      disableFileAccess: true,
      disableUrlAccess: true,
    };
  };
  const connect = () => createTransport(options());
  const trying = async (work: (transport: ReturnType<typeof connect>) => Promise<unknown>) => {
    const transport = connect();
    try {
      await work(transport);
      return null;
    } catch (error) {
      return failureOf(error);
    } finally {
      transport.close();
    }
  };
  return {
    /** @returns null when the server has taken the mail */
    send: ({ to, subject, text, html }: Mail) =>
      trying(async (transport) => {
        if (needsUtf8(to) && !(await takesUtf8(options()))) throw new NoUtf8();
        await transport.sendMail({
          from,
          // As an object: no part of the address is read as a list or a name.
          to: { name: '', address: to },
          subject,
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      }),
    /** Connects and signs in, without a mail. @returns null when that worked */
    check: async () => (await trying((transport) => transport.verify()))?.problem ?? null,
  };
};

export type Mailer = ReturnType<typeof makeMailer>;

/** The domain can be written in ASCII, the part before it cannot (RFC 6531). */
const needsUtf8 = (address: string): boolean => /[^\0-\x7f].*@/s.test(address);

class NoUtf8 extends Error {
  readonly code = 'ENOUTF8';
}

/** Whether the server offers SMTPUTF8: nodemailer would send such an address to any server. */
const takesUtf8 = (options: SMTPConnection.Options): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const connection = new SMTPConnection(options) as SMTPConnection & {
      readonly _supportedExtensions: readonly string[];
    };
    connection.once('error', reject);
    connection.connect(() => {
      resolve(connection._supportedExtensions.includes('SMTPUTF8'));
      connection.close();
    });
  });

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host.startsWith('127.');

/** Codes of nodemailer, of Node and of OpenSSL: texts of the server may repeat what it was sent. */
const words: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused the user name or the password of MAIL_URL',
  ECONNECTION: 'the mail server cannot be reached',
  ECONNREFUSED: 'the mail server refused the connection: nothing listens at the port of MAIL_URL',
  EDNS: 'the host of MAIL_URL has no address',
  EENVELOPE: 'the mail server refused the sender or the recipient',
  ENOUTF8: 'the mail server does not take addresses with characters outside ASCII (SMTPUTF8)',
  EMESSAGE: 'the mail server refused the mail',
  ESOCKET: 'the connection to the mail server failed',
  ETIMEDOUT: 'the mail server did not answer in time',
  ETLS: 'the mail server offers no usable TLS',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the mail server is not for the host of MAIL_URL',
  CERT_HAS_EXPIRED: 'the certificate of the mail server has expired',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the mail server speaks no TLS at the port of MAIL_URL: smtp:// uses STARTTLS',
};

const notTrusted = 'the certificate of the mail server is not trusted: MAIL_CA_FILE names its authority';
const ofCertificates = /^(?:CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_)/;

/**
 * Permanent answers about a mailbox (RFC 5321 §4.2.3); an enhanced code (RFC 3463) other than of addressing and of the mailbox tells that
 * the server refuses us.
 */
const aboutMailbox = /^55[0-3](?![ -](?!5\.[12]\.)\d\.)/;

type Failed = {
  readonly code?: string;
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly command?: string;
  readonly response?: string;
};

const failureOf = (error: unknown): MailFailure => {
  const { code = '', originalCode = '', responseCode, command, response = '' } = error as Failed;
  const isOfRecipient = command === 'RCPT TO' && aboutMailbox.test(response);
  const said = isOfRecipient
    ? 'the mail server refused the recipient'
    : (words[originalCode] ??
      (ofCertificates.test(originalCode) ? notTrusted : (words[code] ?? 'the mail could not be sent')));
  return {
    problem: responseCode === undefined ? said : `${said} (SMTP ${responseCode})`,
    isTemporary: responseCode !== undefined && responseCode >= 400 && responseCode < 500,
    isOfRecipient,
  };
};
