import ts from 'typescript'
import { featureAt } from './support.ts'

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  allowJs: true,
  noEmit: true,
}

/** Syntax by the kind of its node, as the data names it. */
const SYNTAX: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.QuestionDotToken]: 'operators/optional_chaining',
  [ts.SyntaxKind.QuestionQuestionToken]: 'operators/nullish_coalescing',
  [ts.SyntaxKind.QuestionQuestionEqualsToken]: 'operators/nullish_coalescing_assignment',
  [ts.SyntaxKind.AmpersandAmpersandEqualsToken]: 'operators/logical_and_assignment',
  [ts.SyntaxKind.BarBarEqualsToken]: 'operators/logical_or_assignment',
  [ts.SyntaxKind.AsteriskAsteriskToken]: 'operators/exponentiation',
  [ts.SyntaxKind.AwaitExpression]: 'operators/await',
  [ts.SyntaxKind.BigIntLiteral]: 'builtins/BigInt',
  [ts.SyntaxKind.ClassStaticBlockDeclaration]: 'classes/static/initialization_blocks',
  [ts.SyntaxKind.PropertyDeclaration]: 'classes/public_class_fields',
  [ts.SyntaxKind.PrivateIdentifier]: 'classes/private_class_fields',
  [ts.SyntaxKind.SpreadAssignment]: 'operators/spread/spread_in_object_literals',
  [ts.SyntaxKind.ImportKeyword]: 'operators/import',
}

/** Parts of regular expressions; an unknown one stops the whole script. */
const PATTERNS: [RegExp, string][] = [
  [/\(\?<[=!]/, 'lookbehind_assertion'],
  [/\(\?<\w/, 'named_capturing_group'],
  [/\\p\{/i, 'unicode_character_class_escape'],
  [/\(\?[ims-]+:/, 'modifier'],
]
const FLAGS: Record<string, string> = { d: 'hasIndices', s: 'dotAll', u: 'unicode', v: 'unicodeSets', y: 'sticky' }

/** The features that scripts use, by name: places in the data. Names of objects are found by their types. */
export function usedInScripts(scripts: Record<string, string>): Map<string, Set<string>> {
  const host = ts.createCompilerHost(OPTIONS)
  const { getSourceFile } = host
  host.getSourceFile = (name, ...rest) => {
    const text = scripts[name]
    return text === undefined
      ? getSourceFile(name, ...rest)
      : ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS)
  }
  const { fileExists } = host
  host.fileExists = (name) => name in scripts || fileExists(name)
  const program = ts.createProgram(Object.keys(scripts), OPTIONS, host)
  const checker = program.getTypeChecker()
  return new Map(
    Object.keys(scripts).map((name) => {
      const used = new Set<string>()
      const visit = (node: ts.Node): void => {
        for (const path of featuresOf(node, checker)) if (featureAt(path) !== undefined) used.add(path)
        node.forEachChild(visit)
      }
      const file = program.getSourceFile(name)
      if (file === undefined) throw new Error(`${name} was not read`)
      visit(file)
      return [name, used]
    }),
  )
}

function featuresOf(node: ts.Node, checker: ts.TypeChecker): string[] {
  const syntax = SYNTAX[node.kind]
  if (syntax !== undefined) return [`javascript/${syntax}`]
  if (ts.isRegularExpressionLiteral(node)) return inPattern(node.text)
  if (ts.isNewExpression(node)) return [...constructed(node)]
  if (ts.isCallExpression(node)) return listenedTo(node, checker)
  if (!ts.isIdentifier(node)) return []
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return memberOf(checker.getTypeAtLocation(parent.expression), node.text, checker)
  if (ts.isBindingElement(parent) && !ts.isArrayBindingPattern(parent.parent) && parent.initializer !== node)
    return memberOf(checker.getTypeAtLocation(parent.parent), (parent.propertyName ?? parent.name).getText(), checker)
  const isLibrary = checker.getSymbolAtLocation(node)?.declarations?.some(isOfLibrary) ?? false
  return isLibrary ? [`api/${node.text}`, `api/Window/${node.text}`, `javascript/builtins/${node.text}`] : []
}

function inPattern(literal: string): string[] {
  const flags = literal.slice(literal.lastIndexOf('/') + 1)
  return [
    ...PATTERNS.flatMap(([pattern, name]) => (pattern.test(literal) ? [`javascript/regular_expressions/${name}`] : [])),
    ...[...flags].flatMap((flag) => (FLAGS[flag] === undefined ? [] : [`javascript/builtins/RegExp/${FLAGS[flag]}`])),
  ]
}

function constructed({ expression }: ts.NewExpression): string[] {
  if (!ts.isIdentifier(expression)) return []
  return [`api/${expression.text}/${expression.text}`, `javascript/builtins/${expression.text}/${expression.text}`]
}

/** Events, by the words of `addEventListener`. */
function listenedTo({ expression, arguments: [first] }: ts.CallExpression, checker: ts.TypeChecker): string[] {
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== 'addEventListener') return []
  if (first === undefined || !ts.isStringLiteral(first)) return []
  const event = `${first.text}_event`
  const own = memberOf(checker.getTypeAtLocation(expression.expression), event, checker)
  // Where the data does not name it at what listens, it bubbles from an element.
  return own.some(featureAt) ? own : ['Element', 'HTMLElement', 'HTMLFormElement'].map((name) => `api/${name}/${event}`)
}

/** The places a member may have: at its type or at one that the type extends. */
function memberOf(type: ts.Type, member: string, checker: ts.TypeChecker): string[] {
  const types = type.isUnionOrIntersection() ? type.types : [type]
  return types.flatMap((one) => {
    const name = checker.getApparentType(one).symbol?.name
    const declared = checker.getPropertyOfType(one, member)?.declarations?.map(({ parent }) => parent) ?? []
    const owners = declared.flatMap((owner) => (ts.isInterfaceDeclaration(owner) ? [owner.name.text] : []))
    const ancestors = basesOf(checker.getApparentType(one), checker)
    const names = new Set(
      [name, ...owners, ...ancestors].map((owner) => owner?.replace(/^Readonly(?=Array)|Constructor$/g, '')),
    )
    return [...names].flatMap((owner) => [
      `api/${owner}/${member}`,
      `api/${owner}/${member}_static`,
      `javascript/builtins/${owner}/${member}`,
      `javascript/builtins/Intl/${owner}/${member}`,
    ])
  })
}

function basesOf(type: ts.Type, checker: ts.TypeChecker): string[] {
  if (!type.isClassOrInterface()) return []
  return checker.getBaseTypes(type).flatMap((base) => [base.symbol?.name ?? '', ...basesOf(base, checker)])
}

function isOfLibrary(declaration: ts.Declaration): boolean {
  return declaration.getSourceFile().isDeclarationFile && !ts.isInterfaceDeclaration(declaration)
}
