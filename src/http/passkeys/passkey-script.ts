import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Asks the browser for a passkey and sends the answer with the form. The server decides, by the challenge. */
const own = `(() => {
  const form = document.querySelector('form[data-passkey]');
  const trouble = document.getElementById('trouble');
  const { browserSupportsWebAuthn, startAuthentication, startRegistration } = SimpleWebAuthnBrowser;
  const say = (text) => {
    trouble.textContent = text;
    trouble.hidden = false;
    trouble.focus();
  };
  if (!form || !trouble) return;
  document.getElementById('needs-script').hidden = true;
  if (!browserSupportsWebAuthn()) return say(form.dataset.unsupported);
  const button = form.querySelector('button[type="submit"]');
  const ask = form.dataset.passkey === 'add' ? startRegistration : startAuthentication;
  button.disabled = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    trouble.hidden = true;
    try {
      const credential = await ask({ optionsJSON: JSON.parse(form.dataset.options) });
      form.elements.namedItem('credential').value = JSON.stringify(credential);
      form.submit();
    } catch (error) {
      button.disabled = false;
      say(error && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' ? form.dataset.exists : form.dataset.failed);
    }
  });
})();
`;

// The package exports only modules for bundlers; the bundle for pages is next to them.
const packageMain = createRequire(import.meta.url).resolve('@simplewebauthn/browser');
const bundle = readFileSync(join(dirname(packageMain), '../dist/bundle/index.umd.min.js'), 'utf8');

/** The script of the pages that ask for a passkey: the library's part for browsers, and ours. */
export const passkeyScript = `${bundle}\n${own}`;

const version = createHash('sha256').update(passkeyScript).digest('hex').slice(0, 12);

export const passkeyScriptPath = `/assets/passkeys-${version}.js`;
