import { setImmediate as otherWork } from 'node:timers/promises'
import { BOUNDS } from '../../../src/bundles/content/content.ts'
import type { SentFile } from '../../../src/http/body.ts'
import { textIn } from '../../../src/imports/bytes.ts'
import { clip } from '../../../src/imports/clean.ts'
import { toNewBundle } from '../../../src/imports/import.ts'
import type { ImportPlan } from '../../../src/imports/plan.ts'

// A file is parsed like any text. Afterwards the form contains the file's text, or the parsed content of a longer one, and sends
// it with the selection.

/** The maximum length of the text in a form. */
export const MAX_TEXT = 512 * 1024

/** The text of a file, reduced to its relevant parts if it is long, and a message about the file. */
export async function textOfFile({ name, bytes }: SentFile): Promise<{ text: string; says: string }> {
  const called = clip(name, BOUNDS.title)
  const { text: read, isGuessed } = textIn(bytes)
  // As a form field would return it.
  const text = read.replace(/\r\n?/g, '\n').replaceAll('\0', '')
  // On Deno, each half takes up to half the time allowed for one piece of work.
  await otherWork()
  const isMarkup = /^\s*<[!?a-z]/i.test(text.slice(0, 1000))
  return {
    text: text.length > MAX_TEXT && isMarkup ? lean(text) : text,
    says: isGuessed
      ? `From ${called}, read as Windows-1252 (Western European). If letters are wrong, save the file as UTF-8.`
      : `From ${called}.`,
  }
}

/** HTML without pictures and scripts, which are most of a bookmarks file or a saved page. */
function lean(html: string): string {
  const lower = html.toLowerCase()
  const starts = /<(script|style|svg)\b/g
  let kept = ''
  let at = 0
  for (let found = starts.exec(lower); found !== null; found = starts.exec(lower)) {
    const close = lower.indexOf(`</${found[1]}`, starts.lastIndex)
    kept += html.slice(at, found.index)
    at = close === -1 ? html.length : close
    starts.lastIndex = at
  }
  return (kept + html.slice(at)).replace(UNREAD, '')
}

/** Attributes with pictures or styles. */
const UNREAD = /\s(?:icon|icon_uri|src|srcset|style|class|content)="[^"]*"/gi

/** The text from which a plan can be made again: the file's text or, if that is too long, the parsed content as JSON. */
export function textToSend(text: string, plan: ImportPlan | null): string {
  if (text.length <= MAX_TEXT || plan === null) return text
  return plan.bundles.length === 0 ? '' : JSON.stringify({ bundles: plan.bundles.map(toNewBundle) })
}

/** A plan without undo: the addresses in the original text are not in the text that the form sends. */
export function dropUndo(plan: ImportPlan): ImportPlan {
  const bundles = plan.bundles.map((bundle) => ({
    ...bundle,
    links: bundle.links.map(({ said, ...link }) =>
      said === undefined ? link : { ...link, said: said.map(({ was: _, ...rest }) => rest) },
    ),
  }))
  return { ...plan, bundles }
}
