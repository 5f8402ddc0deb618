import { createHash } from 'node:crypto';

/** The browser's time zone, for pages of readers whose account names none. The same for all installations on a host. */
export const zoneCookie = 'grantbook_zone';

/**
 * Without it every page works as well. It puts a box next to each password field, by which it can be read, and tells the
 * server the browser's time zone, so that all times of a page are written in one place and in one zone (FX-96).
 */
export const pageScript = `{const d=document,s=d.body.dataset.show
d.cookie='${zoneCookie}='+Intl.DateTimeFormat().resolvedOptions().timeZone+';path=/;max-age=31536000;samesite=lax'+(location.protocol=='https:'?';secure':'')
for(const i of d.querySelectorAll('[type=password]')){
const c=d.createElement('input'),b=d.createElement('label')
c.type='checkbox'
c.onchange=()=>i.type=c.checked?'text':'password'
i.form.addEventListener('submit',()=>i.type='password')
b.className='show'
b.append(c,s)
i.after(b)}}
`;

const version = createHash('sha256').update(pageScript).digest('hex').slice(0, 12);

/** Its address changes with the content, so that it may be cached permanently. */
export const pageScriptPath = `/assets/page-${version}.js`;
