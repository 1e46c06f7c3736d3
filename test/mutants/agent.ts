// Planted faults in the agent loop.
import type { Mutant } from './mutant.ts'

const loop = ['test/agent/loop.test.ts']

export const mutants: readonly Mutant[] = [
  {
    says: 'the text of a failed tool from outside is not fenced',
    file: 'src/agent/settle.ts',
    from: 'output, error: true, ...(origin && { origin }) })',
    to: 'output, error: true })',
    tests: loop,
  },
  {
    says: 'a failed turn leaves its calls open',
    file: 'src/agent/loop.ts',
    from: '[...drafts, ...closing(history.items)]',
    to: '[...drafts]',
    tests: loop,
  },
  {
    says: 'a fault of our own is swallowed',
    file: 'src/agent/loop.ts',
    from: 'if (!(fault instanceof AppError)) report(fault)',
    to: '',
    tests: loop,
  },
  {
    says: 'a seal does not end its block of thoughts',
    file: 'src/agent/ask.ts',
    from: 'last?.type === type && last.seal === undefined',
    to: 'last?.type === type',
    tests: loop,
  },
  {
    says: 'text that was cut is not marked',
    file: 'src/agent/ask.ts',
    from: 'draftOf(each, stopped && at === said.length - 1)',
    to: 'draftOf(each, false)',
    tests: loop,
  },
  {
    says: 'text of a response that broke off is not marked',
    file: 'src/agent/ask.ts',
    from: 'draftOf(each, at === texts.length - 1)',
    to: 'draftOf(each, false)',
    tests: loop,
  },
  {
    says: 'a response may have any number of calls',
    file: 'src/agent/ask.ts',
    from: 'if (++calls > maxCalls)',
    to: 'if (++calls > 1_000_000)',
    tests: loop,
  },
  {
    says: 'prose after a call hides it',
    file: 'src/core/calls.ts',
    from: "else if (item.type === 'message' && item.role === 'user') break",
    to: "else if (item.type === 'message') break",
    tests: ['test/core/calls.test.ts'],
  },
  {
    says: 'numbers that differ in their last digit are the same arguments',
    file: 'src/agent/guard.ts',
    from: "typeof value === 'number' ? [context?.source] : value",
    to: 'value',
    tests: ['test/agent/guard.test.ts'],
  },
  {
    says: 'the reason of the policy is not kept with its gate',
    file: 'src/agent/settle.ts',
    from: "kind: 'approval', prompt, ...(reason && { reason }),",
    to: "kind: 'approval', prompt,",
    tests: ['test/turns/runner.test.ts'],
  },
  {
    says: 'a call that the policy forbids waits for an approval',
    file: 'src/agent/move.ts',
    from: "if (kind.do === 'deny') return { call, how: 'forbidden', word: kind.reason }",
    to: "if (kind.do === 'deny') return { call, how: 'approval' }",
    tests: ['test/turns/runner.test.ts'],
  },
  {
    says: 'the policy does not hear what the model has read',
    file: 'src/turns/runner.ts',
    from: 'taint: taintOf(prompt)',
    to: 'taint: undefined',
    tests: ['test/turns/runner.test.ts'],
  },
]
