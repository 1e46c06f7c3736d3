// The changes a mutation tester makes: for one node of the syntax, what could stand there by mistake.
import type { ESTree } from 'rolldown/utils'

export type Node = ESTree.Node

export type Change = {
  readonly start: number
  readonly end: number
  readonly change: string
  /** Only a test that executes this place can notice; without it, one that executes the start. */
  readonly shownAt?: number
}

/** Where a node is: the text of the file, and the nodes around it, the innermost last. */
export type Place = { readonly text: string; readonly parents: readonly Node[] }

const swaps = swapped('< <= > >= === !== + - * / += -= && || min max push unshift some every'.split(' '))
/** Of a longer table only so many rows are removed, one at a time, spread over the whole. */
const maxRows = 12
/** Where else a word is a value that goes on. */
const wordPlaces =
  /^(ReturnStatement|ConditionalExpression|VariableDeclarator|ArrowFunctionExpression|AssignmentPattern)$/
/** A larger number is not changed by one: where that matters, the comparison is a fault at its edge. */
const maxCounted = 999
/** Leaving out one of these changes nothing: it is also the default. */
const defaultWords = ['utf8', 'utf-8']

type Of<T extends Node['type']> = Extract<Node, { type: T }>
type Operators = { readonly [T in Node['type']]?: (node: Of<T>, place: Place) => Change[] }

const operators: Operators = {
  BinaryExpression: changesOfBinary,
  AssignmentExpression: (node, place) => (isText(node.right) ? [] : swapOperator(node, place)),
  LogicalExpression: (node, place) =>
    node.operator === '??'
      ? [{ ...replace(node, textOf(node.left, place)), shownAt: node.right.start }]
      : isTypeGuard(node.left)
        ? []
        : swapOperator(node, place),
  IfStatement: decided,
  ConditionalExpression: decided,
  WhileStatement: ({ test }) => [replace(test, 'false')],
  ForStatement: ({ test }) => (test ? [replace(test, 'false')] : []),
  UnaryExpression: (node, place) =>
    node.operator === '!' && !isCondition(node, place) ? [replace(node, textOf(node.argument, place))] : [],
  Literal: changesOfLiteral,
  CallExpression: changesOfCall,
  ExpressionStatement: dropped,
  ReturnStatement: dropped,
  ThrowStatement: dropped,
  ContinueStatement: dropped,
  BreakStatement: dropped,
  SpreadElement: (node, place) => (isOptional(node) ? removed(node, place.parents.at(-1)) : []),
  VariableDeclaration: ({ declarations }, place) =>
    isTopLevel(place) ? declarations.flatMap(({ init }) => (init ? rowsOf(init) : [])) : [],
}

/** Every change of this node itself; the nodes in it are asked for on their own. */
export function changesOf(node: Node, place: Place): Change[] {
  // Found by its own type, so it takes the node.
  const operator = operators[node.type] as ((node: Node, place: Place) => Change[]) | undefined
  return operator?.(node, place) ?? []
}

/** Each word and its neighbour, both ways. */
function swapped(words: readonly string[]): ReadonlyMap<string, string> {
  return new Map(words.map((word, at) => [word, words[at % 2 === 0 ? at + 1 : at - 1] ?? word]))
}

function decided({ test }: Of<'IfStatement' | 'ConditionalExpression'>): Change[] {
  return [replace(test, 'true'), replace(test, 'false')]
}

function replace({ start, end }: Node, change: string): Change {
  return { start, end, change }
}

function textOf({ start, end }: Node, { text }: Place): string {
  return text.slice(start, end)
}

/** True where the node decides an `if` or a `? :`; both outcomes of that are faults of their own. */
function isCondition(node: Node, { parents }: Place): boolean {
  const parent = parents.at(-1)
  return (parent?.type === 'IfStatement' || parent?.type === 'ConditionalExpression') && parent.test === node
}

function changesOfBinary(node: Of<'BinaryExpression'>, place: Place): Change[] {
  if (node.operator === '+' && isText(node)) return []
  return /[!=]==/.test(node.operator) && isCondition(node, place) ? [] : swapOperator(node, place)
}

/** `error instanceof Error && …`: without it the rest only throws, or asks what is not there. */
function isTypeGuard(node: Node): boolean {
  if (node.type === 'LogicalExpression') return isTypeGuard(node.right)
  return node.type === 'BinaryExpression' && (node.operator === 'instanceof' || node.operator === 'in')
}

function swapOperator(
  node: Of<'BinaryExpression' | 'AssignmentExpression' | 'LogicalExpression'>,
  place: Place,
): Change[] {
  const other = swaps.get(node.operator)
  const change = `${textOf(node.left, place)} ${other} ${textOf(node.right, place)}`
  // What binds less tightly than before must not take more than before.
  return other ? [replace(node, node.type === 'LogicalExpression' ? `(${change})` : change)] : []
}

function isText(node: Node): boolean {
  if (node.type === 'BinaryExpression') return node.operator === '+' && (isText(node.left) || isText(node.right))
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
}

function changesOfLiteral(node: Of<'Literal'>, place: Place): Change[] {
  const { value } = node
  if (typeof value === 'boolean') return isLoopForever(place) || isOnce(place) ? [] : [replace(node, String(!value))]
  if (typeof value === 'string') return isChangeableWord(node, value, place) ? [replace(node, "''")] : []
  if (typeof value !== 'number' || isCountedElsewhere(node, place)) return []
  if (isWaitedOut(place)) return []
  // Nobody measures a wait to the millisecond.
  const next = isWait(place) || isRank(place) || value > maxCounted ? [] : [value + 1]
  return [...new Set([...next, 0])].filter((other) => other !== value).map((other) => replace(node, String(other)))
}

function isLoopForever({ parents }: Place): boolean {
  return ['WhileStatement', 'DoWhileStatement'].includes(parents.at(-1)?.type ?? '')
}

/** `{ once: true }`: a listener that stays is no behaviour. */
function isOnce({ parents }: Place): boolean {
  const parent = parents.at(-1)
  return parent?.type === 'Property' && parent.key.type === 'Identifier' && parent.key.name === 'once'
}

/** A key; `=== 4`, where the comparison is a fault; a row of a table, which is removed. */
function isCountedElsewhere(node: Node, { parents }: Place): boolean {
  const parent = parents.at(-1)
  if (parent?.type === 'Property') return parent.key === node
  if (parent?.type === 'BinaryExpression') return /[!=]==/.test(parent.operator)
  return parent?.type === 'ArrayExpression' && !parents.some(({ type }) => type.includes('Function'))
}

/** `a < b ? -1 : 1` in the order of a sort: of the number only its sign counts. */
function isRank({ parents }: Place): boolean {
  const [call, order, choice] = parents.filter(({ type }) => !/^(?:Unary|Parenthesized)Exp/.test(type)).slice(-3)
  if (choice?.type !== 'ConditionalExpression' || order?.type !== 'ArrowFunctionExpression') return false
  const callee = call?.type === 'CallExpression' && call.callee.type === 'MemberExpression' && call.callee.property
  return callee && callee.type === 'Identifier' && /^(?:sort|toSorted)$/.test(callee.name)
}

/** Inside the value of a name that ends in Ms. */
function isWait(place: Place): boolean {
  return isNamed(place, /Ms$/)
}

/** A wait for something that comes about by itself, or does not: tests pass their own. */
function isWaitedOut(place: Place): boolean {
  return isNamed(place, /(?:timeout|delay|pause|retry|poll|linger|flush)\w*Ms$/i)
}

function isNamed({ parents }: Place, pattern: RegExp): boolean {
  return parents.some((node) => {
    const name = node.type === 'VariableDeclarator' ? node.id : node.type === 'Property' ? node.key : undefined
    return name?.type === 'Identifier' && pattern.test(name.name)
  })
}

/** A word that means something to the program. Texts for people have blanks; compared words are faults elsewhere. */
function isChangeableWord(node: Node, value: string, { parents }: Place): boolean {
  if (value === '' || /\s/.test(value) || defaultWords.includes(value)) return false
  const parent = parents.at(-1)
  if (parent?.type === 'Property') return parent.value === node
  if (parent?.type === 'CallExpression' || parent?.type === 'NewExpression') {
    // A call for its effect is dropped as a whole.
    return parents.slice(0, -1).findLast(({ type }) => type !== 'AwaitExpression')?.type !== 'ExpressionStatement'
  }
  return wordPlaces.test(parent?.type ?? '')
}

function changesOfCall({ callee, start, end }: Of<'CallExpression'>, place: Place): Change[] {
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return []
  const { name } = callee.property
  const whole = place.text.slice(start, end)
  if (name === 'toSorted') return [{ start, end, change: `${whole}.toReversed()` }]
  if (name === 'sort') return [{ start, end, change: `${whole}.reverse()` }]
  if (name === 'toReversed' || name === 'reverse') return [{ start, end, change: textOf(callee.object, place) }]
  const other = swaps.get(name)
  return other ? [replace(callee.property, other)] : []
}

/** An `if` that never comes true drops all that it holds, so only a statement beside others is dropped alone. */
function dropped(node: Node, { parents }: Place): Change[] {
  const isDirective = node.type === 'ExpressionStatement' && node.expression.type === 'Literal'
  return !isDirective && !isTidying(node) && isDroppable(node, parents.slice(-2)) ? [replace(node, ';')] : []
}

/** What only a process that runs for days would notice: a timer or a listener that stays. */
function isTidying(node: Node): boolean {
  if (node.type !== 'ExpressionStatement' || node.expression.type !== 'CallExpression') return false
  const { callee } = node.expression
  const name = callee.type === 'MemberExpression' ? callee.property : callee
  return name.type === 'Identifier' && /^(?:clearTimeout|clearInterval|removeEventListener|unref)$/.test(name.name)
}

function isDroppable(node: Node, [around, parent]: readonly Node[]): boolean {
  if (parent?.type === 'IfStatement') return parent.alternate === node
  if (parent?.type === 'SwitchCase') return parent.consequent.length > 1
  if (parent?.type !== 'BlockStatement') return false
  if (around?.type === 'IfStatement') return parent.body.length > 1 || around.alternate === parent
  return node.type === 'ExpressionStatement'
}

/** `...(condition && …)`. The other forms are faults of what decides them. */
function isOptional({ argument }: Of<'SpreadElement'>): boolean {
  const inner = argument.type === 'ParenthesizedExpression' ? argument.expression : argument
  return inner.type === 'LogicalExpression'
}

/** The elements of an array or the properties of an object. */
function partsOf(node: Node): readonly Node[] {
  if (node.type === 'ArrayExpression') return node.elements.filter((element) => element !== null)
  return node.type === 'ObjectExpression' ? node.properties : []
}

function isTopLevel({ parents }: Place): boolean {
  return parents.every(({ type }) => type === 'Program' || type === 'ExportNamedDeclaration')
}

/** The rows of a table, each removed once; where a row is a list of its own, its words as well. */
function rowsOf(init: Node): Change[] {
  const table = tableIn(init)
  const lists = partsOf(table).flatMap((row) => (row.type === 'Property' ? [tableIn(row.value)] : []))
  return [table, ...lists].flatMap((list) => spreadOver(partsOf(list)).flatMap((row) => removed(row, list)))
}

function tableIn(node: Node): Node {
  if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression') return tableIn(node.expression)
  const isCall = node.type === 'NewExpression' || node.type === 'CallExpression'
  return isCall && node.arguments[0] ? tableIn(node.arguments[0]) : node
}

function spreadOver(list: readonly Node[]): readonly Node[] {
  const step = Math.max(1, list.length / maxRows)
  return list.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
}

/** Without one part of a list, and without the comma that goes with it. */
function removed(part: Node, list: Node | undefined): Change[] {
  const parts = list ? partsOf(list) : []
  const at = parts.indexOf(part)
  if (at < 0) return []
  const [before, next] = [parts[at - 1], parts[at + 1]]
  if (next) return [{ start: part.start, end: next.start, change: '' }]
  return [{ start: before ? before.end : part.start, end: part.end, change: '' }]
}
