// Faults of the words of the house.
import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    says: 'an answer to an earlier gate counts for a later one',
    file: 'src/core/calls.ts',
    from: "else if (item.type === 'answer' && !gates.has(item.callId)) keepLatest(answers, item)",
    to: "else if (item.type === 'answer') keepLatest(answers, item)",
    tests: ['test/core/calls.test.ts'],
  },
  {
    says: 'the canonical text keeps the order of keys',
    file: 'src/core/json.ts',
    from: '    .sort()\n',
    to: '',
    tests: ['test/core/json.test.ts'],
  },
]
