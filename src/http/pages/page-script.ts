import { createHash } from 'node:crypto';

/**
 * Without it every page works as well. It puts a box next to each password field, by which it can be read, and shows
 * times in the browser's time zone where the account has none (`data-times` of the body, for `Intl`); UTC stays in the
 * title. What a time is written like is in `data-as` (components.ts); other times are rewritten only if they end with UTC, which its last letter tells.
 */
export const pageScript = `{const d=document,{show:s,times:l}=d.body.dataset
for(const i of d.querySelectorAll('[type=password]')){
const c=d.createElement('input'),b=d.createElement('label')
c.type='checkbox'
c.onchange=()=>i.type=c.checked?'text':'password'
i.form.addEventListener('submit',()=>i.type='password')
b.className='show'
b.append(c,s)
i.after(b)}
const n=new Date,y=new Date(n.setHours(9)-864e5),D={day:'numeric',month:'long',year:'numeric'},C={hour:'2-digit',minute:'2-digit'}
if(l)for(const e of d.querySelectorAll('time')){
const a=e.dataset.as,t=new Date(e.dateTime),
f=o=>t.toLocaleString(l,o),
r=[n,y].findIndex(x=>x.toDateString()==t.toDateString()),
w=new Intl.RelativeTimeFormat(l,{numeric:'auto'}).format(-r,'day'),
x=f({...D,...C,second:a?void 0:'2-digit',timeZoneName:'short'})
if(!a&&!/C$/.test(e.textContent))continue
e.title||=e.dateTime
e.textContent=a=='day'?f(D):a=='short'?r?f({...D,month:'short',year:t.getFullYear()==n.getFullYear()?void 0:D.year}):w+' '+f(C):a&&r>=0?x.replace(f(D),w):x}}
`;

const version = createHash('sha256').update(pageScript).digest('hex').slice(0, 12);

/** Its address changes with the content, so that it may be cached permanently. */
export const pageScriptPath = `/assets/page-${version}.js`;
