import { oneLine } from '../../common/one-line.ts';

/** Of an answer that is no 202, in bytes. A JSON body is read whole or not at all, and `description` may be long (RFC 8935 §2.3). */
export const largestErrorBody = 65_536;

/**
 * What a receiver answered instead of 202, in one line: the status, and `err` and `description` of RFC 8935 §2.3 where
 * it sent them. A receiver that repeats our `Authorization` header gets its value hidden.
 */
export const describeAnswer = (status: number, body: string, authorization: string | null): string => {
  const { err, description } = errorIn(body);
  const said = [err, description].filter((text) => text !== '').join(': ');
  const text = `answered ${status} instead of 202${status >= 300 && status < 400 ? ' (redirects are not followed)' : ''}`;
  return said === '' ? text : `${text}: ${oneLine(withoutSecrets(said, authorization))}`;
};

const errorIn = (body: string): { readonly err: string; readonly description: string } => {
  const parsed = parse(body);
  const text = (name: string) => {
    const value = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, name) : null;
    return typeof value === 'string' ? value : '';
  };
  return { err: text('err'), description: text('description') };
};

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
};

/** The whole header, and its parts (`Bearer abc`: `abc`). */
const withoutSecrets = (text: string, authorization: string | null): string =>
  [authorization ?? '', ...(authorization ?? '').split(/\s+/).slice(1)]
    .filter((secret) => secret.length > 3)
    .reduce((rest, secret) => rest.replaceAll(secret, '(hidden)'), text);
