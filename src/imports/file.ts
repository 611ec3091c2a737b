import { Problem } from '../core/problem.ts'
import { textIn } from './bytes.ts'
import { READERS, toNewBundle } from './import.ts'
import type { ImportPlan } from './plan.ts'

// A file is read like any text. Afterwards the form contains the file's text, or the content of a longer one, and sends it with the
// selection.

/** The maximum length of the text in the form. */
export const MAX_TEXT = 512 * 1024
export const TOO_LONG = 'This is too long to read at once: import it in parts.'

/** The content of a file. */
export interface FileContent {
  /** The text from which the plan can be made again: the file's text or, if that is too long, the content as JSON. */
  text: string
  /** Null for a file without text. */
  plan: ImportPlan | null
  /** Whether its encoding is a guess. */
  isGuessed: boolean
}

/** Reads a file. @throws Problem BAD_REQUEST as the readers do, or if its content is too long for a form. */
export function readFile(bytes: Uint8Array, as: 'bundles' | 'sections'): FileContent {
  const { text: decoded, isGuessed } = textIn(bytes)
  // As a form field would return it.
  const whole = decoded.replace(/\r\n?/g, '\n').replaceAll('\0', '')
  const isMarkup = /^\s*<[!?a-z]/i.test(whole.slice(0, 1000))
  const text = whole.length > MAX_TEXT && isMarkup ? lean(whole) : whole
  const plan = text.trim() === '' ? null : READERS[as](text)
  if (text.length <= MAX_TEXT) return { text, plan, isGuessed }
  const { bundles } = plan ?? { bundles: [] }
  const content = bundles.length === 0 ? '' : JSON.stringify({ bundles: bundles.map(toNewBundle) })
  if (plan === null || content.length > MAX_TEXT) throw new Problem('BAD_REQUEST', TOO_LONG)
  return { text: content, plan: dropUndo(plan), isGuessed }
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

/** A plan without undo: the addresses in the file's text are not in the text of the form. */
function dropUndo(plan: ImportPlan): ImportPlan {
  const bundles = plan.bundles.map((bundle) => ({
    ...bundle,
    links: bundle.links.map(({ said, ...link }) =>
      said === undefined ? link : { ...link, said: said.map(({ was: _, ...rest }) => rest) },
    ),
  }))
  return { ...plan, bundles }
}
