import { readFileSync } from 'node:fs'

// Scripts are ES modules. The modules of a page are joined into one file, because each separate module would cost a request.

/**
 * Comments, a third of a launcher's script. Only whole lines of `//`, because strings contain it too; no string contains a block.
 */
const COMMENT = /\/\*\*.*?\*\/ ?|^\s*\/\/[^\n]*$/gms
/** A line that imports a module for its effect, or by names; no other kind of import is used here. */
const IMPORT = /^import (?:\{([^}]*)\} from )?'(\.[^']+)'\n/gm
const EXPORT = /^export (?=(?:async )?function |const )/gm

interface Module {
  text: string
  imports: { names: string[]; from: string }[]
}

/**
 * Joins a module and its imports, in execution order, into a plain script without globals. Each module becomes a function that
 * returns its exports: an export must exist once its module has run, and must not change afterwards.
 * @param entry the URL of the module's file.
 * @throws Error for an import or export in another form.
 */
export function scriptOf(entry: string): string {
  const modules = new Map<string, Module>()
  const add = (address: string) => {
    if (modules.has(address)) return
    const read = moduleAt(address)
    for (const { from } of read.imports) add(from)
    modules.set(address, read)
  }
  add(entry)
  const all = [...modules]
  const nameOf = (address: string) => `m${all.findIndex(([other]) => other === address)}`
  const parts = all.map(([address, { text, imports }]) => {
    const taken = imports.filter(({ names }) => names.length > 0)
    const lines = taken.map(({ names, from }) => `const {${names.join(',')}}=${nameOf(from)}`)
    const given = all.flatMap(([, other]) =>
      other.imports.flatMap(({ names, from }) => (from === address ? names : [])),
    )
    const body = [...lines, text.trimEnd()].join('\n')
    if (given.length === 0) return `(()=>{\n${body}\n})();`
    return `const ${nameOf(address)}=(()=>{\n${body}\nreturn{${[...new Set(given)].join(',')}}})();`
  })
  return `(()=>{'use strict';\n${parts.join('\n')}\n})()\n`
}

function moduleAt(address: string): Module {
  const source = readFileSync(new URL(address), 'utf8').replace(COMMENT, '').replace(/^\s+/gm, '')
  const imports = [...source.matchAll(IMPORT)].map(([, names = '', from = '']) => ({
    names: names.split(',').flatMap((name) => name.trim() || []),
    from: new URL(from, address).href,
  }))
  const text = source.replace(IMPORT, '').replace(EXPORT, '')
  const left = /^(?:import|export)\b.*/m.exec(text)
  if (left !== null) throw new Error(`${address}: cannot be joined: ${left[0]}`)
  return { text, imports }
}
