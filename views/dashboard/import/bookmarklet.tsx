/** @jsxImportSource @kitajs/html */

import { attribute, type Site } from '../../parts/layout.tsx'

/** A bookmark that hands the links of any page to the home page. */
export function Bookmarklet({ site }: { site: Pick<Site, 'name' | 'origin'> }): JSX.Element {
  return (
    <section class="bookmarklet" aria-labelledby="from-pages">
      <h2 id="from-pages">From any page</h2>
      <p class="hint">
        Drag this to your bookmarks bar:{' '}
        <a class="button small" href={attribute(scriptFor(site.origin))} data-bookmark hx-boost="false" safe>
          {`Share with ${site.name}`}
        </a>
      </p>
      <p class="hint" id="bookmark-says" role="status"></p>
      <p class="hint">
        On another page, select some links and press the bookmark: you’ll see them listed here. Without a selection it
        takes the page itself. Nothing is created until you press “Get the link”.
      </p>
    </section>
  )
}

/** The bookmark’s address. Long ones that it leads to are refused by servers, so what does not fit is said to be left out. */
export function scriptFor(origin: string): string {
  const home = JSON.stringify(`${origin}/?text=`)
  const script = `(()=>{const s=getSelection(),d=document.createElement('div');
for(let i=0;i<s.rangeCount;i++)d.append(s.getRangeAt(i).cloneContents());
const fits=t=>encodeURIComponent(t).length<7000;
const all=[...d.querySelectorAll('a[href]')].filter(a=>/^https?:/.test(a.href)).map(a=>a.textContent.replace(/\\s+/g,' ').trim()+' '+a.href);
const lines=all.length?all:/:\\/\\//.test(s)?String(s).split('\\n'):[document.title+' '+location.href];
let t='',n=0;for(const l of lines){if(!fits(t+l))break;t+=l+'\\n';n++}
if(n<lines.length)alert('Too much to hand over at once: '+(lines.length-n)+' of '+lines.length+' were left out.');
if(t)open(${home}+encodeURIComponent(t),'_blank','noopener')})()`
  return `javascript:${encodeURIComponent(script.replaceAll('\n', ''))}`
}
