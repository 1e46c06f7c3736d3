// Every fault of a source file, found by its syntax. Types, imports, log lines and the texts of errors are left alone.
import { parseSync } from 'rolldown/utils'
import { type Change, changesOf, type Node } from './operators.ts'

export type Fault = Change & { readonly path: string; readonly line: number }

export function findFaults(path: string, text: string): Fault[] {
  const { program, errors } = parseSync(path, text, { preserveParens: true })
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  const found = new Map<string, Change>()
  const walk = (node: Node, parents: readonly Node[]): void => {
    for (const change of changesOf(node, { text, parents })) {
      found.set(`${change.start} ${change.end} ${change.change}`, change)
    }
    for (const child of childrenOf(node, text)) walk(child, [...parents, node])
  }
  walk(program, [])
  return [...found.values()]
    .filter((change) => parseSync(path, plant(text, change)).errors.length === 0)
    .toSorted((a, b) => a.start - b.start)
    .map((change) => ({ ...change, path, line: lineOf(text, change) }))
}

/** The text with the fault in it. */
export function plant(text: string, { start, end, change }: Change): string {
  return text.slice(0, start) + change + text.slice(end)
}

/** Of a removed row the comma before it may be on another line. */
function lineOf(text: string, { start, end }: Change): number {
  const [before = ''] = /^[,\s]*/.exec(text.slice(start, end)) ?? []
  return text.slice(0, start + before.length).split('\n').length
}

/** What was there and what is there now, on one line, with a little of what stays the same. */
export function describe(text: string, { start, end, change }: Change): { original: string; change: string } {
  const [original = '', changed = ''] = [text.slice(start, end), change].map((part) => part.replaceAll(/\s+/g, ' '))
  if (changed === '' || changed === ';')
    return { original: cut(original.replaceAll(/^[, ]+|[, ]+$/g, ''), 0), change: '(removed)' }
  let same = 0
  while (same < original.length && original[same] === changed[same]) same++
  return { original: cut(original, same), change: cut(changed, same) }
}

const maxShown = 70
const shownBefore = 30

function cut(text: string, difference: number): string {
  const from = text.length <= maxShown ? 0 : Math.max(0, difference - shownBefore)
  const to = from + maxShown
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`
}

const kept = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']

function childrenOf(node: Node, text: string): Node[] {
  if (node.type === 'ImportDeclaration' || node.type === 'ImportExpression') return []
  if (node.type.startsWith('TS') && !kept.includes(node.type)) return []
  if (node.type === 'CallExpression' && isLog(text.slice(node.callee.start, node.callee.end))) return []
  const children = Object.values(node).flat().filter(isNode)
  // Of an error only its code means something to the program.
  if (node.type === 'NewExpression' && node.callee.type === 'Identifier' && node.callee.name.endsWith('Error')) {
    return children.filter((child) => child === node.arguments[0] && child.type === 'Literal')
  }
  return children.filter((child) => child.type !== 'ExpressionStatement' || !isLogStatement(child.expression, text))
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function isLogStatement(expression: Node, text: string): boolean {
  if (expression.type === 'ChainExpression') return isLogStatement(expression.expression, text)
  return expression.type === 'CallExpression' && isLog(text.slice(expression.callee.start, expression.callee.end))
}

function isLog(callee: string): boolean {
  return /(?:^|\.)(?:log|console)(?:\??\.\w+)?$/.test(callee) && callee !== 'Math.log'
}
