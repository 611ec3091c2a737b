// @ts-check

// Says of links that are added whether they stand in another bundle, as the page does of those that were there (link-rows.tsx).

/** @param {readonly Element[]} rows */
async function findSeen(rows) {
  const editor = document.getElementById('editor')
  const address = document.getElementById('links')?.dataset.seen
  const urlOf = (/** @type {Element} */ row) => linkField(row, 'url')?.value.trim() ?? ''
  const urls = [...new Set(rows.map(urlOf))].filter((url) => url !== '').slice(0, MOST_TITLES)
  if (!(editor instanceof HTMLFormElement) || address === undefined || urls.length === 0) return
  const slug = new URL(editor.action).pathname.split('/').at(-1) ?? ''
  const body = new URLSearchParams([['slug', slug], ...urls.map((url) => ['url', url])])
  const answer = await fetch(address, { method: 'POST', body }).catch(() => null)
  if (!answer?.ok) return
  /** @type {{ links: { url: string, slug: string, called: string }[] }} */
  const { links } = await answer.json()
  await released()
  for (const row of linksNow()) {
    const seen = links.find(({ url }) => url === urlOf(row))
    if (seen !== undefined && row.querySelector('.seen') === null) sayWhere(row, seen)
  }
}

/** @param {Element} row @param {{ slug: string, called: string }} seen */
function sayWhere(row, { slug, called }) {
  const line = document.createElement('p')
  line.className = 'hint seen'
  const link = document.createElement('a')
  link.href = `/dashboard/links/${slug}`
  link.target = '_blank'
  link.dir = 'auto'
  link.textContent = called
  line.append('Also in ', link)
  row.querySelector('.link-fold')?.after(line)
}

document.addEventListener('change', async ({ target }) => {
  const row = target instanceof HTMLInputElement && target.name === 'url' ? linkOf(target) : null
  if (row === null) return
  void findSeen([row])
  await released()
  row.querySelector('.seen')?.remove()
})
