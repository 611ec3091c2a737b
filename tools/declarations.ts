import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { operations } from '../src/api/implementations.ts'
import { rawSchemaOf, wholeOf } from '../src/api/json-schema.ts'
import { DryRun } from '../src/bundles/content/answers.ts'
import { lazy } from '../src/core/lazy.ts'
import type { JsonSchema } from '../src/core/shape.ts'
import { methodName } from '../src/sdk/client.ts'

// The client's types as one declaration file. tsc expands what it derives from the table of operations; here the expanded
// shapes get their names back, and their fields their descriptions.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Names the shapes. */
const TYPES = 'src/sdk/types.ts'
/** Where the names of the server's types are out of reach, so that tsc writes them out. */
const CLIENT = 'src/sdk/client.ts'
const SUMMARIES = new Map(operations.map(({ name, summary }) => [methodName(name), summary]))

/** The declarations of an entry point and of all that it exports. @throws if tsc reports errors in their files. */
export function declarationsOf(entry: string): string {
  const program = programOf(entry)
  const files = emitted(entry, program)
  refuseErrors(program, [...files.keys(), TYPES])
  const published = exportsOf(parsed(files.get(entry) ?? ''))
  files.delete(entry)
  const shapes = parsed(expanded(program))
  const declared = new Map([...declarationsIn(parsed([...files.values()].join('\n'))), ...declarationsIn(shapes)])
  const names = new Map([...declarationsIn(shapes)].map(([name, shape]) => [compact(typeOf(shape)), name]))
  const texts = reached(published, declared).map((name) => {
    const declaration = declared.get(name)!
    const isShape = declaration.getSourceFile() === shapes
    return isShape ? shapeText(name, declaration, names) : withNames(declaration, names)
  })
  const isType = (name: string) =>
    ts.isTypeAliasDeclaration(declared.get(name)!) || ts.isInterfaceDeclaration(declared.get(name)!)
  const [types, values] = [published.filter(isType), published.filter((name) => !isType(name))]
  const ends = [`export { ${values.join(', ')} }`, `export type { ${types.join(', ')} }`]
  return ts.createPrinter().printFile(parsed([...texts, ...ends].join('\n')))
}

function programOf(entry: string): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [entry] }, ts.sys, ROOT)
  const only = { noEmit: false, declaration: true, emitDeclarationOnly: true }
  // With all parts of the service: each is declared where it is made.
  return ts.createProgram([join(ROOT, entry), join(ROOT, 'src/main.ts')], {
    ...options,
    ...only,
    typeRoots: [join(ROOT, 'node_modules')],
  })
}

/** Only of the files that are declared: looking at the whole service, as the type check does, would be two thirds of the work. */
function refuseErrors(program: ts.Program, files: readonly string[]): void {
  const errors = files
    .map((file) => program.getSourceFile(join(ROOT, file)))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
  if (errors.length === 0) return
  const host = { getCurrentDirectory: () => ROOT, getCanonicalFileName: (name: string) => name, getNewLine: () => '\n' }
  throw new Error(ts.formatDiagnostics(errors, host))
}

/** What tsc emits for a file and those that its declarations import, except the shapes. */
function emitted(file: string, program: ts.Program, found = new Map<string, string>()): Map<string, string> {
  if (found.has(file) || file === TYPES) return found
  let text = ''
  program.emit(program.getSourceFile(join(ROOT, file)), (_, made) => (text = made), undefined, true)
  found.set(file, text)
  for (const [, path = ''] of text.matchAll(/\bfrom '(\.[^']+)'/g))
    emitted(normalize(join(dirname(file), path)), program, found)
  return found
}

/** Each type of TYPES, written out. */
function expanded(program: ts.Program): string {
  const checker = program.getTypeChecker()
  const outside = program.getSourceFile(join(ROOT, CLIENT))
  const { NoTruncation, InTypeAlias, MultilineObjectLiterals } = ts.TypeFormatFlags
  const aliases = program.getSourceFile(join(ROOT, TYPES))!.statements.filter(ts.isTypeAliasDeclaration)
  const texts = aliases.map((alias) => {
    const type = checker.typeToString(
      checker.getTypeAtLocation(alias.name),
      outside,
      NoTruncation | InTypeAlias | MultilineObjectLiterals,
    )
    const [comment = ''] = /\/\*\*.*?\*\//s.exec(alias.getFullText()) ?? []
    return `${comment}\nexport type ${alias.name.text} = ${type};`
  })
  return texts.join('\n')
}

function parsed(text: string): ts.SourceFile {
  return ts.createSourceFile('openall.d.ts', text, ts.ScriptTarget.ESNext, true)
}

function exportsOf({ statements }: ts.SourceFile): string[] {
  const clauses = statements.flatMap((one) =>
    ts.isExportDeclaration(one) && one.exportClause ? [one.exportClause] : [],
  )
  return clauses.filter(ts.isNamedExports).flatMap(({ elements }) => elements.map(({ name }) => name.text))
}

/** Declarations by name. */
function declarationsIn({ statements }: ts.SourceFile): [string, ts.Statement][] {
  return statements.flatMap((statement): [string, ts.Statement][] => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => [name.getText(), statement])
    }
    const { name } = statement as ts.DeclarationStatement
    return name === undefined || !ts.isIdentifier(name) ? [] : [[name.text, statement]]
  })
}

function typeOf(shape: ts.Statement): ts.TypeNode {
  return (shape as ts.TypeAliasDeclaration).type
}

/** These names and those that their declarations need. */
function reached(names: readonly string[], declared: ReadonlyMap<string, ts.Node>): string[] {
  const found = new Set<string>()
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node) && !isNameOfMember(node)) add(node.text)
    ts.forEachChild(node, visit)
  }
  const add = (name: string) => {
    const declaration = declared.get(name)
    if (declaration === undefined || found.has(name)) return
    found.add(name)
    visit(declaration)
  }
  for (const name of names) add(name)
  return [...found]
}

/** Whether an identifier names a field, a method or a parameter, not a declaration elsewhere. */
function isNameOfMember(node: ts.Identifier): boolean {
  const { parent } = node
  return (ts.isTypeElement(parent) || ts.isClassElement(parent) || ts.isParameter(parent)) && parent.name === node
}

/** A type without white space or places, for comparisons. */
function compact(type: ts.Node): string {
  return type.getText().replace(/import\("[^"]*"\)\.|\s+/g, '')
}

/** A node's text, in which `change` replaces nodes. */
function changed(node: ts.Node, change: (node: ts.Node) => string | undefined): string {
  const made = change(node)
  const { text } = node.getSourceFile()
  if (made !== undefined) return text.slice(node.getFullStart(), node.getStart()) + made
  let [before, at] = ['', node.getFullStart()]
  ts.forEachChild(node, (child) => {
    before += text.slice(at, child.getFullStart()) + changed(child, change)
    at = child.getEnd()
  })
  return before + text.slice(at, node.getEnd())
}

/** Named shapes by their names, and methods with their summaries. */
function withNames(declaration: ts.Node, names: ReadonlyMap<string, string>): string {
  const rename = (node: ts.Node): string | undefined => {
    if (node.kind === ts.SyntaxKind.ExportKeyword) return ''
    if (ts.isImportTypeNode(node) && node.qualifier !== undefined) return node.qualifier.getText()
    if (ts.isTypeLiteralNode(node)) return names.get(compact(node))
    const summary = ts.isPropertySignature(node) && node.modifiers ? SUMMARIES.get(node.name.getText()) : undefined
    return summary === undefined
      ? undefined
      : `/** ${summary}. */\n    ${changed(node, (inner) => (inner === node ? undefined : rename(inner))).trimStart()}`
  }
  return changed(declaration, rename)
}

/** A named shape with its fields described. */
function shapeText(name: string, shape: ts.Statement, names: ReadonlyMap<string, string>): string {
  const text = withNames(shape, new Map([...names].filter(([, other]) => other !== name)))
  const [statement] = parsed(text).statements
  return described(statement!, SCHEMAS().get(name) ?? [])
}

/** @param schemas those of the value, in each form that it may have. */
function described(node: ts.Node, schemas: readonly JsonSchema[]): string {
  return changed(node, (field) => {
    if (!ts.isPropertySignature(field) || field.type === undefined) return undefined
    const head = field.getSourceFile().text.slice(field.getStart(), field.type.getFullStart())
    const found = inside(schemas, field.name.getText())
    const says = found.find((schema) => schema.says !== undefined)?.says
    return `${says === undefined ? '' : `\n/** ${says} */\n`}${head}${described(field.type, found)};`
  })
}

/** The schemas of each exported shape. */
const SCHEMAS = lazy(() => {
  const schemas = new Map<string, JsonSchema[]>()
  for (const alias of parsed(readFileSync(join(ROOT, TYPES), 'utf8')).statements.filter(ts.isTypeAliasDeclaration)) {
    schemas.set(alias.name.text, schemasOf(alias.type, schemas))
  }
  return schemas
})

/** The schemas of a type, which names an operation’s input or body, or a part of another. */
function schemasOf(node: ts.TypeNode, known: ReadonlyMap<string, JsonSchema[]>): JsonSchema[] {
  if (ts.isIndexedAccessTypeNode(node)) {
    return inside(schemasOf(node.objectType, known), node.indexType.getText().slice(1, -1))
  }
  if (!ts.isTypeReferenceNode(node)) throw new Error(`no shape: ${node.getText()}`)
  const [of] = node.typeArguments ?? []
  const name = node.typeName.getText()
  if (name === 'Awaited') return [rawSchemaOf(DryRun())]
  if (name === 'ItemOf' || name === 'NonNullable') return schemasOf(of!, known)
  const operation = operations.find((one) => one.name === of?.getText().slice(1, -1))
  if (operation === undefined) return known.get(name)!
  return [rawSchemaOf(name === 'Input' ? operation.input : operation.output!())]
}

/** What is at a field, in any of the forms of a value or of its entries. */
function inside(schemas: readonly JsonSchema[], field: string): JsonSchema[] {
  return schemas.flatMap((sent) => {
    const { properties = {}, items, anyOf = [], additionalProperties } = wholeOf(sent) as Parts
    const entries = [items, additionalProperties].filter((entry) => typeof entry === 'object')
    const own = properties[field]
    return [...(own === undefined ? [] : [own]), ...inside([...entries, ...anyOf], field)]
  })
}

interface Parts {
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  additionalProperties?: JsonSchema | boolean
}
