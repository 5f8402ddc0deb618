const verifierGrammar = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Whether a string has the form of a code verifier: 43 to 128 unreserved characters (RFC 7636 §4.1; TC-03). */
export const isCodeVerifier = (text: string): boolean => verifierGrammar.test(text);

/**
 * Whether a string has the form of a code challenge (RFC 7636 §4.2; AZ-18). The grammar is the verifier's: a
 * hexadecimal digest passes here and fails at the exchange, as the specification requires (S4).
 */
export const isCodeChallenge = (text: string): boolean => verifierGrammar.test(text);

/**
 * Whether the S256 challenge computed from a verifier is the one that the code was issued for (RFC 7636 §4.6). Takes
 * the same time wherever the two differ (G-06); a stored value outside the grammar matches nothing (TC-05).
 */
export const isSameChallenge = (issued: string, computed: string): boolean => {
  if (!isCodeChallenge(issued) || issued.length !== computed.length) return false;
  let difference = 0;
  for (let index = 0; index < issued.length; index += 1)
    difference |= issued.charCodeAt(index) ^ computed.charCodeAt(index);
  return difference === 0;
};
